package witness;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Writes down how it is called. */
public class WitnessSinkConnector extends SinkConnector {
    private Map<String, String> props;
    private Calls calls;

    @Override
    public String version() {
        return Calls.VERSION;
    }

    @Override
    public ConfigDef config() {
        return Calls.definition();
    }

    @Override
    public void start(Map<String, String> props) {
        this.props = props;
        calls = new Calls(props, "connector");
        calls.note("start", Calls.keys(props));
    }

    @Override
    public Class<? extends Task> taskClass() {
        return WitnessSinkTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int most) {
        calls.note("task_configs", Integer.toString(most));
        return Calls.taskConfigs(props, most);
    }

    @Override
    public void stop() {
        if (calls != null) {
            calls.note("stop", "");
        }
    }

    @Override
    public boolean alterOffsets(Map<String, String> props, Map<TopicPartition, Long> offsets) {
        new Calls(props, "offsets").note("alter_offsets", Calls.text(offsets));
        return true;
    }
}
