package trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** One part of the lines. */
public class TrialSourceTask extends SourceTask {
    private Map<String, String> props;
    private Map<String, String> partition;
    private long next;
    private long end;

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
        partition = Map.of("part", props.get("part"));
        Map<String, Object> offset = context.offsetStorageReader().offset(partition);
        next = offset == null ? 0 : ((Number) offset.get("count")).longValue();
        end = Long.parseLong(props.getOrDefault(Trial.RECORDS, "0"));
    }

    @Override
    public List<SourceRecord> poll() throws InterruptedException {
        Trial.maybeFail(props, "task.poll");
        List<SourceRecord> records = new ArrayList<>();
        while (next < end) {
            String line = "line " + next++;
            records.add(new SourceRecord(partition, Map.of("count", next), props.get("topic"), Schema.STRING_SCHEMA, line));
        }
        if (records.isEmpty()) {
            Thread.sleep(50);
            return null;
        }
        return records;
    }

    @Override
    public void stop() {}
}
