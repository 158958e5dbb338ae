package witness;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;

/** Writes down how it is called. */
public class WitnessSourceConnector extends SourceConnector {
    private Map<String, String> props;
    private Calls calls;

    @Override
    public String version() {
        return Calls.VERSION;
    }

    @Override
    public ConfigDef config() {
        return Calls.definition()
            .define("topic", Type.STRING, Importance.HIGH, "The topic to write to.");
    }

    @Override
    public void start(Map<String, String> props) {
        this.props = props;
        calls = new Calls(props, "connector");
        List<String> actions = calls.note("start", Calls.keys(props));
        if (actions.contains("read")) {
            calls.write("offset " + context().offsetStorageReader().offset(Map.of("p", "0")));
        }
    }

    @Override
    public Class<? extends Task> taskClass() {
        return WitnessSourceTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int most) {
        List<String> actions = calls.note("task_configs", Integer.toString(most));
        if (actions.contains("again")) {
            context().requestTaskReconfiguration();
        }
        return Calls.taskConfigs(props, most);
    }

    @Override
    public void stop() {
        if (calls != null) {
            calls.note("stop", "");
        }
    }

    @Override
    public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> props) {
        return ExactlyOnceSupport.SUPPORTED;
    }

    @Override
    public ConnectorTransactionBoundaries canDefineTransactionBoundaries(Map<String, String> props) {
        return ConnectorTransactionBoundaries.SUPPORTED;
    }

    @Override
    public boolean alterOffsets(Map<String, String> props, Map<Map<String, ?>, Map<String, ?>> offsets) {
        new Calls(props, "offsets").note("alter_offsets", Calls.text(offsets));
        return true;
    }
}
