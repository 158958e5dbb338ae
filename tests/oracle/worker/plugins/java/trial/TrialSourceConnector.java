package trial;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;

/** Writes numbered lines: so many records, in so many tasks. */
public class TrialSourceConnector extends SourceConnector {
    private Map<String, String> props;

    @Override
    public String version() {
        return Trial.VERSION;
    }

    @Override
    public ConfigDef config() {
        return Trial.common()
            .define("topic", Type.STRING, ConfigDef.NO_DEFAULT_VALUE, new ConfigDef.NonEmptyString(), Importance.HIGH, "The topic to write to.")
            .define(Trial.RECORDS, Type.INT, 0, Importance.MEDIUM, "How many records each task writes.");
    }

    @Override
    public Config validate(Map<String, String> props) {
        Trial.maybeFail(props, "validate");
        return super.validate(props);
    }

    @Override
    public void start(Map<String, String> props) {
        this.props = props;
        Trial.maybeWait(props, "start");
        Trial.maybeFail(props, "start");
        if ("later".equals(props.get(Trial.FAIL_AT))) {
            Thread waiting = new Thread(() -> {
                Trial.maybeWait(Map.of(Trial.WAIT_AT, "later", Trial.WAIT_FOR, props.get(Trial.WAIT_FOR)), "later");
                context.raiseError(new IllegalStateException("failed later"));
            });
            waiting.setDaemon(true);
            waiting.start();
        }
    }

    @Override
    public Class<? extends Task> taskClass() {
        return TrialSourceTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        Trial.maybeFail(props, "task.configs");
        return Trial.taskConfigs(props);
    }

    @Override
    public void stop() {}

    @Override
    public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> props) {
        return "exactly.once".equals(props.get(Trial.FAIL_AT)) ? ExactlyOnceSupport.UNSUPPORTED : ExactlyOnceSupport.SUPPORTED;
    }

    @Override
    public ConnectorTransactionBoundaries canDefineTransactionBoundaries(Map<String, String> props) {
        return ConnectorTransactionBoundaries.UNSUPPORTED;
    }

    @Override
    public boolean alterOffsets(Map<String, String> props, Map<Map<String, ?>, Map<String, ?>> offsets) {
        Trial.maybeFail(props, "offsets");
        Trial.maybeRefuse(props, "offsets.refused");
        if ("offsets.unsupported".equals(props.get(Trial.FAIL_AT))) {
            throw new UnsupportedOperationException("not here");
        }
        return !"offsets.ignored".equals(props.get(Trial.FAIL_AT));
    }
}
