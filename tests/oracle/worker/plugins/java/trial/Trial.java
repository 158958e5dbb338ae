package trial;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.ConnectException;

/** What the connectors of this location share: they fail where their configuration says. */
final class Trial {
    static final String VERSION = "1.2.3";
    static final String FAIL_AT = "fail.at";
    static final String WAIT_AT = "wait.at";
    static final String WAIT_FOR = "wait.for";
    static final String PARTS = "parts";
    static final String RECORDS = "records";

    private Trial() {}

    static ConfigDef common() {
        return new ConfigDef()
            .define(PARTS, Type.INT, 1, ConfigDef.Range.atLeast(0), Importance.MEDIUM, "How many tasks there are.")
            .define(FAIL_AT, Type.STRING, "", Importance.LOW, "Where to fail.")
            .define(WAIT_AT, Type.STRING, "", Importance.LOW, "Where to wait for the file.")
            .define(WAIT_FOR, Type.STRING, "", Importance.LOW, "The file to wait for.");
    }

    static void maybeWait(Map<String, String> props, String place) {
        if (place.equals(props.get(WAIT_AT))) {
            Path file = Path.of(props.get(WAIT_FOR));
            try {
                while (!Files.exists(file)) {
                    Thread.sleep(20);
                }
            } catch (InterruptedException error) {
                throw new ConnectException(error);
            }
        }
    }

    static void maybeFail(Map<String, String> props, String place) {
        if (props != null && place.equals(props.get(FAIL_AT))) {
            throw new ConnectException("failed at " + place);
        }
    }

    static void maybeRefuse(Map<String, String> props, String place) {
        if (place.equals(props.get(FAIL_AT))) {
            throw new ConfigException(FAIL_AT, place, "refused");
        }
    }

    static List<Map<String, String>> taskConfigs(Map<String, String> props) {
        List<Map<String, String>> found = new ArrayList<>();
        int parts = Integer.parseInt(props.getOrDefault(PARTS, "1"));
        for (int part = 0; part < parts; part++) {
            Map<String, String> task = new HashMap<>(props);
            task.put("part", Integer.toString(part));
            found.add(task);
        }
        return found;
    }
}
