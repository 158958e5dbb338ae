import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsContext;
import org.apache.kafka.common.metrics.MetricsReporter;

/** Writes all metrics of a worker to the file that the setting metrics.dump.file names, each second. */
public class MetricsDump implements MetricsReporter {
    private final Map<MetricName, KafkaMetric> metrics = new ConcurrentHashMap<>();
    private Path file;
    private boolean worker;
    private volatile boolean ended;

    @Override
    public void configure(Map<String, ?> settings) {
        Object named = settings.get("metrics.dump.file");
        file = named == null ? null : Path.of(named.toString());
    }

    @Override
    public void contextChange(MetricsContext context) {
        worker = "kafka.connect".equals(context.contextLabels().get(MetricsContext.NAMESPACE));
    }

    @Override
    public void init(List<KafkaMetric> first) {
        first.forEach(this::metricChange);
        if (file != null && worker) { // its clients have one of their own
            Thread thread = new Thread(this::run, "metrics-dump");
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public void metricChange(KafkaMetric metric) {
        metrics.put(metric.metricName(), metric);
    }

    @Override
    public void metricRemoval(KafkaMetric metric) {
        metrics.remove(metric.metricName());
    }

    @Override
    public void close() {
        ended = true;
    }

    private void run() {
        while (!ended) {
            try {
                List<String> lines = new ArrayList<>();
                metrics.forEach((name, metric) -> lines.add(line(name, metric.metricValue())));
                Path fresh = Path.of(file + ".new");
                Files.write(fresh, lines, StandardCharsets.UTF_8);
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
                Thread.sleep(1000);
            } catch (Exception error) {
                System.err.println(error);
                return;
            }
        }
    }

    private static String line(MetricName name, Object value) {
        List<String> tags = new ArrayList<>();
        name.tags().forEach((key, tag) -> tags.add(text(key) + ":" + text(tag)));
        String type = value == null ? "null" : value.getClass().getSimpleName();
        String shown = value instanceof Number && !Double.isNaN(((Number) value).doubleValue())
            && !Double.isInfinite(((Number) value).doubleValue()) ? value.toString() : text(String.valueOf(value));
        return "{\"group\":" + text(name.group()) + ",\"name\":" + text(name.name()) + ",\"tags\":{"
            + String.join(",", tags) + "},\"type\":" + text(type) + ",\"value\":" + shown + "}";
    }

    private static String text(String plain) {
        return "\"" + plain.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }
}
