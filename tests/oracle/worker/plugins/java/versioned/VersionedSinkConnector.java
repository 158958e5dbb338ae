package versioned;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** The same class in several locations, each with a version and one setting of its own. */
public class VersionedSinkConnector extends SinkConnector {
    private Map<String, String> props;

    static String ownVersion() {
        try (InputStream text = VersionedSinkConnector.class.getResourceAsStream("version.txt")) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public String version() {
        return ownVersion();
    }

    @Override
    public ConfigDef config() {
        return new ConfigDef()
            .define("since." + ownVersion(), Type.STRING, ownVersion(), Importance.LOW, "Only this version has it.");
    }

    @Override
    public void start(Map<String, String> props) {
        this.props = props;
    }

    @Override
    public Class<? extends Task> taskClass() {
        return VersionedSinkTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        List<Map<String, String>> found = new ArrayList<>();
        for (int part = 0; part < maxTasks; part++) {
            found.add(props);
        }
        return found;
    }

    @Override
    public void stop() {}

    /** Takes its records. */
    public static class VersionedSinkTask extends SinkTask {
        @Override
        public String version() {
            return ownVersion();
        }

        @Override
        public void start(Map<String, String> props) {}

        @Override
        public void put(Collection<SinkRecord> records) {}

        @Override
        public void stop() {}
    }
}
