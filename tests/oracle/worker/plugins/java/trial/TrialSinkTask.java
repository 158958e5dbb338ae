package trial;

import java.util.Collection;
import java.util.Map;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** Takes its records. */
public class TrialSinkTask extends SinkTask {
    private Map<String, String> props;

    @Override
    public String version() {
        return Trial.VERSION;
    }

    @Override
    public void start(Map<String, String> props) {
        this.props = props;
        Trial.maybeWait(props, "task.start");
        Trial.maybeFail(props, "task.start");
        if ("0".equals(props.get("part"))) {
            Trial.maybeFail(props, "first.task.start");
        }
    }

    @Override
    public void put(Collection<SinkRecord> records) {
        if (!records.isEmpty()) {
            Trial.maybeFail(props, "task.put");
        }
    }

    @Override
    public void stop() {}
}
