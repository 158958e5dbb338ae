import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.MetricNameTemplate;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.connect.runtime.ConnectMetricsRegistry;
import org.apache.kafka.connect.runtime.SinkConnectorConfig;
import org.apache.kafka.connect.runtime.SourceConnectorConfig;
import org.apache.kafka.connect.runtime.TopicCreationConfig;
import org.apache.kafka.connect.runtime.distributed.Crypto;
import org.apache.kafka.connect.runtime.distributed.DistributedConfig;
import org.apache.kafka.connect.runtime.standalone.StandaloneConfig;

/** Prints, one JSON object a line, every setting, error code and metric that Kafka itself defines. */
public final class Settings {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Settings() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println(JSON.writeValueAsString(Map.of("version", AppInfoParser.getVersion())));
        for (Map.Entry<String, ConfigDef> each : definitions().entrySet()) {
            for (ConfigDef.ConfigKey key : new TreeMap<>(each.getValue().configKeys()).values()) {
                System.out.println(JSON.writeValueAsString(described(each.getKey(), key)));
            }
        }
        for (Errors each : Errors.values()) {
            Map<String, Object> found = new LinkedHashMap<>();
            found.put("error", each.code());
            found.put("name", each.name());
            found.put("retriable", each.exception() instanceof RetriableException);
            System.out.println(JSON.writeValueAsString(found));
        }
        for (MetricNameTemplate each : new ConnectMetricsRegistry().getAllTemplates()) {
            Map<String, Object> found = new LinkedHashMap<>();
            found.put("metric", each.name());
            found.put("group", each.group());
            found.put("tags", each.tags());
            System.out.println(JSON.writeValueAsString(found));
        }
    }

    private static Map<String, ConfigDef> definitions() throws Exception {
        Map<String, ConfigDef> found = new LinkedHashMap<>();
        Method distributed = DistributedConfig.class.getDeclaredMethod("config", Crypto.class);
        distributed.setAccessible(true);
        found.put("distributed", (ConfigDef) distributed.invoke(null, Crypto.SYSTEM));
        java.lang.reflect.Field standalone = StandaloneConfig.class.getDeclaredField("CONFIG");
        standalone.setAccessible(true);
        found.put("standalone", (ConfigDef) standalone.get(null));
        found.put("source", SourceConnectorConfig.configDef());
        found.put("sink", SinkConnectorConfig.configDef());
        found.put("topic.creation", TopicCreationConfig.defaultGroupConfigDef());
        found.put("producer", ProducerConfig.configDef());
        found.put("consumer", ConsumerConfig.configDef());
        found.put("admin", AdminClientConfig.configDef());
        return found;
    }

    private static Map<String, Object> described(String kind, ConfigDef.ConfigKey key) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("kind", kind);
        found.put("key", key.name);
        found.put("type", key.type.name());
        List<Object> defaults = new ArrayList<>();
        if (key.hasDefault()) {
            defaults.add(key.defaultValue == null ? null : ConfigDef.convertToString(key.defaultValue, key.type));
        }
        found.put("default", defaults);
        found.put("internal", key.internalConfig);
        return found;
    }
}
