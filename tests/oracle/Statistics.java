import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.stats.Avg;
import org.apache.kafka.common.metrics.stats.CumulativeCount;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.metrics.stats.Max;
import org.apache.kafka.common.metrics.stats.Min;
import org.apache.kafka.common.metrics.stats.Rate;
import org.apache.kafka.common.metrics.stats.Value;
import org.apache.kafka.common.metrics.stats.WindowedCount;
import org.apache.kafka.common.metrics.stats.WindowedSum;

/** Tells what Kafka's statistics measure while time passes and values come in. */
public class Statistics {
    public static void main(String[] arguments) {
        int[][] windows = {{2, 30_000}, {3, 1_000}, {1, 5_000}, {4, 250}};
        for (int[] window : windows) {
            for (int seed = 0; seed < 6; seed++) {
                play(window[0], window[1], new Random(seed));
            }
        }
    }

    private static void play(int samples, int windowMs, Random random) {
        MetricConfig config = new MetricConfig().samples(samples).timeWindow(windowMs, TimeUnit.MILLISECONDS);
        Map<String, MeasurableStat> stats = new LinkedHashMap<>();
        stats.put("Avg", new Avg());
        stats.put("Max", new Max());
        stats.put("Min", new Min());
        stats.put("WindowedSum", new WindowedSum());
        stats.put("WindowedCount", new WindowedCount());
        stats.put("Rate", new Rate());
        stats.put("CumulativeSum", new CumulativeSum());
        stats.put("CumulativeCount", new CumulativeCount());
        stats.put("Value", new Value());
        long now = 1_000_000;
        List<String> steps = new ArrayList<>();
        for (int step = 0; step < 25; step++) {
            long pass = (long) (random.nextDouble() * random.nextDouble() * 2 * windowMs);
            now += pass;
            if (random.nextInt(4) > 0) {
                double value = random.nextInt(2001) / 8.0 - 100;
                for (MeasurableStat stat : stats.values()) {
                    stat.record(config, value, now);
                }
                steps.add("[" + pass + "," + value + "]");
            } else {
                List<String> found = new ArrayList<>();
                for (Map.Entry<String, MeasurableStat> each : stats.entrySet()) {
                    double measured = each.getValue().measure(config, now);
                    found.add("\"" + each.getKey() + "\":" + (Double.isNaN(measured) ? "null" : measured));
                }
                steps.add("[" + pass + ",{" + String.join(",", found) + "}]");
            }
        }
        System.out.println("{\"samples\":" + samples + ",\"window_ms\":" + windowMs + ",\"steps\":["
            + String.join(",", steps) + "]}");
    }
}
