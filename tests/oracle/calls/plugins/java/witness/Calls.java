package witness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;

/** Writes each call to a file, and returns what the script has for it. */
final class Calls {
    static final String VERSION = "1.0.0";

    private final Path file;
    private final String actor;
    private final Map<String, List<String>> script = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();

    Calls(Map<String, String> props, String actor) {
        this.file = Path.of(props.get("calls"));
        this.actor = actor;
        for (String rule : props.getOrDefault("script", "").split(";")) {
            if (!rule.isBlank()) {
                String[] parts = rule.split(":", 2);
                script.put(parts[0].strip(), List.of(parts[1].strip().split(" & ")));
            }
        }
    }

    static ConfigDef definition() {
        return new ConfigDef()
            .define("calls", Type.STRING, Importance.HIGH, "The file to write calls to.")
            .define("script", Type.STRING, "", Importance.LOW, "What to do at which call.")
            .define("parts", Type.INT, 1, Importance.LOW, "How many tasks there are.");
    }

    static List<Map<String, String>> taskConfigs(Map<String, String> props, int most) {
        int parts = Integer.parseInt(props.getOrDefault("parts", "1"));
        List<Map<String, String>> found = new java.util.ArrayList<>();
        for (int part = 0; part < Math.min(parts, most); part++) {
            Map<String, String> task = new HashMap<>(props);
            task.put("part", Integer.toString(part));
            found.add(task);
        }
        return found;
    }

    /** What the script has for the next call of this name. */
    List<String> next(String call) {
        int count = counts.merge(call, 1, Integer::sum);
        return script.getOrDefault(call + " " + count, List.of());
    }

    void write(String text) {
        byte[] line = (actor + " " + text + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (Calls.class) {
            try {
                Files.write(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException error) {
                throw new ConnectException(error);
            }
        }
    }

    /** Writes a call and fails where the script says so; else returns the script's actions. */
    List<String> note(String call, String text) {
        List<String> actions = next(call);
        String failure = actions.stream().filter(a -> a.startsWith("throw ")).findFirst().orElse("");
        write((call + " " + text).strip() + (failure.isEmpty() ? "" : " -> " + failure));
        if (actions.stream().noneMatch(a -> a.equals("late"))) {
            fail(failure);
        }
        return actions;
    }

    static void fail(String action) {
        switch (action) {
            case "throw retriable": throw new RetriableException("as the script says");
            case "throw data": throw new DataException("as the script says");
            case "throw connect": throw new ConnectException("as the script says");
            case "throw runtime": throw new IllegalStateException("as the script says");
            default:
        }
    }

    static TopicPartition partition(String text) {
        int dash = text.lastIndexOf('-');
        return new TopicPartition(text.substring(0, dash), Integer.parseInt(text.substring(dash + 1)));
    }

    static Map<TopicPartition, Long> offsets(String[] words) {
        Map<TopicPartition, Long> found = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
            String[] pair = words[i].split("=");
            found.put(partition(pair[0]), Long.parseLong(pair[1]));
        }
        return found;
    }

    static String text(Iterable<TopicPartition> partitions) {
        TreeSet<String> found = new TreeSet<>();
        partitions.forEach(partition -> found.add(partition.toString()));
        return String.join(" ", found);
    }

    static String text(Map<?, ?> values) {
        Map<String, String> found = new TreeMap<>();
        values.forEach((key, value) -> found.put(key.toString(), String.valueOf(value)));
        return found.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(" "));
    }

    static String keys(Map<String, String> props) {
        return String.join(" ", new TreeSet<>(props.keySet()));
    }
}
