package trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Has a setting of every type, with every kind of validator, and checks two of them together. */
public class EveryTypeSinkConnector extends SinkConnector {
    /** Proposes what goes with the kind that is chosen, and hides what does not. */
    private static final class ByKind implements ConfigDef.Recommender {
        @Override
        public List<Object> validValues(String name, Map<String, Object> parsed) {
            return "small".equals(parsed.get("kind")) ? List.of("s", "xs") : List.of("l", "xl");
        }

        @Override
        public boolean visible(String name, Map<String, Object> parsed) {
            return !"none".equals(parsed.get("kind"));
        }
    }

    @Override
    public String version() {
        return Trial.VERSION;
    }

    @Override
    public ConfigDef config() {
        return new ConfigDef()
            .define("url", Type.STRING, ConfigDef.NO_DEFAULT_VALUE, new ConfigDef.NonEmptyString(), Importance.HIGH, "Where.", "Connection", 1, Width.LONG, "URL", List.of("user"))
            .define("user", Type.STRING, null, Importance.MEDIUM, "Who.", "Connection", 2, Width.MEDIUM, "User")
            .define("secret", Type.PASSWORD, null, Importance.HIGH, "By which word.", "Connection", 3, Width.SHORT, "Secret")
            .define("flag", Type.BOOLEAN, false, Importance.LOW, "Yes or no.", "Details", 1, Width.SHORT, "Flag")
            .define("number.short", Type.SHORT, (short) 3, ConfigDef.Range.between(1, 5), Importance.LOW, "A short.", "Details", 2, Width.SHORT, "Short")
            .define("number.int", Type.INT, 10, ConfigDef.Range.atLeast(0), Importance.LOW, "An int.", "Details", 3, Width.SHORT, "Int")
            .define("number.long", Type.LONG, 1L << 40, Importance.LOW, "A long.", "Details", 4, Width.SHORT, "Long")
            .define("number.double", Type.DOUBLE, 0.5, Importance.LOW, "A double.", "Details", 5, Width.SHORT, "Double")
            .define("list", Type.LIST, List.of("a", "b"), ConfigDef.ValidList.in("a", "b", "c"), Importance.LOW, "A list.", "Details", 6, Width.LONG, "List")
            .define("class", Type.CLASS, null, Importance.LOW, "A class.", "Details", 7, Width.LONG, "Class")
            .define("kind", Type.STRING, "none", ConfigDef.ValidString.in("none", "small", "large"), Importance.MEDIUM, "What kind.", "Kinds", 1, Width.SHORT, "Kind", List.of("size"))
            .define("size", Type.STRING, "", Importance.MEDIUM, "What size.", "Kinds", 2, Width.SHORT, "Size", List.of(), new ByKind())
            .define("case", Type.STRING, "one", ConfigDef.CaseInsensitiveValidString.in("One", "Two"), Importance.LOW, "Any case.")
            .define("plain", Type.STRING, "", Importance.LOW, "Nothing special.");
    }

    @Override
    public Config validate(Map<String, String> props) {
        Config found = super.validate(props);
        if ("explode".equals(props.get("plain"))) {
            throw new IllegalStateException("failed at validate");
        }
        if ("together".equals(props.get("plain"))) {
            List<ConfigValue> values = new ArrayList<>(found.configValues());
            for (ConfigValue value : values) {
                if (value.name().equals("user") || value.name().equals("secret")) {
                    value.addErrorMessage("give user and secret together");
                }
            }
            ConfigValue further = new ConfigValue("further");
            further.addErrorMessage("is not known to the definition");
            values.add(further);
            return new Config(values);
        }
        return found;
    }

    @Override
    public void start(Map<String, String> props) {}

    @Override
    public Class<? extends Task> taskClass() {
        return TrialSinkTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        List<Map<String, String>> found = new ArrayList<>();
        for (int part = 0; part < maxTasks; part++) {
            found.add(Map.of("part", Integer.toString(part)));
        }
        return found;
    }

    @Override
    public void stop() {}
}
