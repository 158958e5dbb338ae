package trial;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/** Takes every record and does nothing with it. */
public class TrialSinkConnector extends SinkConnector {
    private Map<String, String> props;

    @Override
    public String version() {
        return Trial.VERSION;
    }

    @Override
    public ConfigDef config() {
        return Trial.common();
    }

    @Override
    public void start(Map<String, String> props) {
        this.props = props;
        Trial.maybeWait(props, "start");
        Trial.maybeFail(props, "start");
    }

    @Override
    public Class<? extends Task> taskClass() {
        return TrialSinkTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        Trial.maybeFail(props, "task.configs");
        return Trial.taskConfigs(props);
    }

    @Override
    public void stop() {}

    @Override
    public boolean alterOffsets(Map<String, String> props, Map<TopicPartition, Long> offsets) {
        Trial.maybeFail(props, "offsets");
        return "offsets.known".equals(props.get(Trial.FAIL_AT));
    }
}
