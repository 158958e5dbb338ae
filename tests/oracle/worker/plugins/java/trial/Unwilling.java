package trial;

import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.transforms.Transformation;

/** A transformation that fails where its mood says, and not before. */
public class Unwilling<R extends ConnectRecord<R>> implements Transformation<R> {
    private String mood;

    @Override
    public ConfigDef config() {
        return new ConfigDef().define("mood", Type.STRING, "good", Importance.HIGH, "When to fail.");
    }

    @Override
    public void configure(Map<String, ?> props) {
        Object given = props.get("mood");
        mood = given == null ? "good" : given.toString();
        if (mood.equals("config")) {
            throw new ConfigException("mood", mood, "failed to be configured");
        }
        if (mood.equals("configure")) {
            throw new ConnectException("failed to be configured");
        }
    }

    @Override
    public R apply(R record) {
        if (mood.equals("apply")) {
            throw new DataException("failed to be applied");
        }
        return mood.equals("drop") ? null : record;
    }

    @Override
    public void close() {}
}
