package witness;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.apache.kafka.connect.source.SourceTaskContext;

/** Writes down how it is called, and does what its script says. */
public class WitnessSourceTask extends SourceTask {
    private static final int TOO_LARGE = 2_000_000;

    private Calls calls;
    private String topic;
    private Map<String, String> partition;
    private long given;

    @Override
    public String version() {
        return Calls.VERSION;
    }

    @Override
    public void initialize(SourceTaskContext context) {
        super.initialize(context);
        calls = new Calls(context.configs(), "task-" + context.configs().get("part"));
        calls.note("initialize", "");
    }

    @Override
    public void start(Map<String, String> props) {
        topic = props.get("topic");
        partition = Map.of("p", props.get("part"));
        List<String> actions = calls.note("start", Calls.keys(props));
        Map<String, Object> offset = context.offsetStorageReader().offset(partition);
        given = offset == null ? 0 : ((Number) offset.get("n")).longValue();
        calls.write("offset " + (offset == null ? "null" : Calls.text(offset)));
        if (actions.contains("transactions")) {
            calls.write("transactions " + (context.transactionContext() != null));
        }
    }

    @Override
    public List<SourceRecord> poll() throws InterruptedException {
        for (String action : calls.next("poll")) {
            String[] words = action.split(" ");
            switch (words[0]) {
                case "give": return records(words);
                case "empty": return List.of();
                case "throw":
                    calls.write("poll -> " + action);
                    Calls.fail(action);
                    break;
                case "sleep": Thread.sleep(Long.parseLong(words[1])); break;
                case "transaction": end(words[1]); break;
                default:
            }
        }
        Thread.sleep(20);
        return null;
    }

    private List<SourceRecord> records(String[] words) {
        List<SourceRecord> found = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            String name = words[i];
            boolean commits = name.endsWith("+"), aborts = name.endsWith("-");
            String value = name.equals("null") ? null : name.startsWith("large") ? "x".repeat(TOO_LARGE) : name;
            String target = name.startsWith("bad") ? topic + "?" : topic;
            SourceRecord record = new SourceRecord(
                partition, Map.of("n", ++given), target, 0, Schema.STRING_SCHEMA, name, Schema.OPTIONAL_STRING_SCHEMA, value);
            found.add(record);
            if (commits) {
                context.transactionContext().commitTransaction(record);
            } else if (aborts) {
                context.transactionContext().abortTransaction(record);
            }
        }
        List<String> names = List.of(words).subList(1, words.length);
        calls.write("poll -> " + String.join(" ", names));
        return found;
    }

    private void end(String how) {
        if (how.equals("commit")) {
            context.transactionContext().commitTransaction();
        } else {
            context.transactionContext().abortTransaction();
        }
    }

    @Override
    public void commitRecord(SourceRecord record, RecordMetadata metadata) {
        String where = metadata == null ? "nowhere" : metadata.topic() + "-" + metadata.partition();
        calls.note("commit_record", record.key() + " " + where);
    }

    @Override
    public void commit() {
        calls.note("commit", "");
    }

    @Override
    public void stop() {
        calls.note("stop", "");
    }
}
