package witness;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** Writes down how it is called, and does what its script says. */
public class WitnessSinkTask extends SinkTask {
    private Calls calls;

    @Override
    public String version() {
        return Calls.VERSION;
    }

    @Override
    public void initialize(SinkTaskContext context) {
        super.initialize(context);
        calls = new Calls(context.configs(), "task-" + context.configs().get("part"));
        act(calls.note("initialize", Calls.text(context.assignment())));
    }

    @Override
    public void start(Map<String, String> props) {
        act(calls.note("start", Calls.keys(props)));
    }

    @Override
    public void open(Collection<TopicPartition> partitions) {
        act(calls.note("open", Calls.text(partitions)));
    }

    @Override
    public void put(Collection<SinkRecord> records) {
        if (records.isEmpty()) {
            if (!context.assignment().isEmpty()) {
                act(calls.note("idle", ""));
            }
            return;
        }
        List<String> texts = new ArrayList<>();
        for (SinkRecord record : records) {
            texts.add(record.topic() + "-" + record.kafkaPartition() + "@" + record.kafkaOffset() + "=" + record.value());
        }
        List<String> actions = calls.note("put", String.join(" ", texts));
        if (actions.contains("report")) {
            context.errantRecordReporter().report(records.iterator().next(), new DataException("as the script says"));
        }
        act(actions);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> preCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        List<String> actions = calls.note("pre_commit", Calls.text(plain(offsets)));
        act(actions);
        for (String action : actions) {
            if (action.equals("answer null")) {
                return null;
            }
            if (action.startsWith("answer")) {
                Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>();
                Calls.offsets(action.split(" ")).forEach((p, o) -> found.put(p, new OffsetAndMetadata(o)));
                return found;
            }
        }
        return super.preCommit(offsets);
    }

    @Override
    public void flush(Map<TopicPartition, OffsetAndMetadata> offsets) {
        act(calls.note("flush", Calls.text(plain(offsets))));
    }

    @Override
    public void close(Collection<TopicPartition> partitions) {
        act(calls.note("close", Calls.text(partitions)));
    }

    @Override
    public void stop() {
        calls.note("stop", "");
    }

    private static Map<TopicPartition, Long> plain(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<TopicPartition, Long> found = new HashMap<>();
        offsets.forEach((partition, offset) -> found.put(partition, offset.offset()));
        return found;
    }

    private void act(List<String> actions) {
        for (String action : actions) {
            String[] words = action.split(" ");
            switch (words[0]) {
                case "seek": context.offset(Calls.offsets(words)); break;
                case "pause": context.pause(Calls.partition(words[1])); break;
                case "resume": context.resume(Calls.partition(words[1])); break;
                case "timeout": context.timeout(Long.parseLong(words[1])); break;
                case "commit": context.requestCommit(); break;
                case "assignment": calls.write("assignment " + Calls.text(context.assignment())); break;
                case "sleep": sleep(Long.parseLong(words[1])); break;
                case "throw": Calls.fail(action); break;
                default:
            }
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException error) {
            throw new ConnectException(error);
        }
    }
}
