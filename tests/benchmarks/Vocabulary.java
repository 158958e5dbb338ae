import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.HoistField;
import org.apache.kafka.connect.transforms.InsertField;
import org.apache.kafka.connect.transforms.MaskField;
import org.apache.kafka.connect.transforms.ReplaceField;
import org.apache.kafka.connect.transforms.SetSchemaMetadata;
import org.apache.kafka.connect.transforms.Transformation;

/** The same chains and converters as vocabulary.py, on Kafka Connect's own classes. */
public class Vocabulary {
    static final Map<String, String> PARTITION = Collections.singletonMap("file", "a");
    static final Map<String, Long> OFFSET = Collections.singletonMap("position", 1L);

    public static void main(String[] arguments) {
        int records = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        for (int size : new int[] {100, 1000}) {
            for (boolean schemas : new boolean[] {true, false}) {
                for (int length : new int[] {0, 1, 3, 6}) {
                    report(schemas, length, size, records, rounds);
                }
            }
        }
    }

    static void report(boolean schemas, int length, int size, int records, int rounds) {
        List<Transformation<SourceRecord>> chain = chain(schemas).subList(0, length);
        JsonConverter converter = new JsonConverter();
        converter.configure(Map.of("schemas.enable", String.valueOf(schemas)), false);
        String payload = "x".repeat(size);
        double[] rates = new double[rounds];
        for (int round = -2; round < rounds; round++) {
            double rate = run(chain, converter, payload, schemas, records);
            if (round >= 0) {
                rates[round] = rate;
            }
        }
        java.util.Arrays.sort(rates);
        System.out.printf("%s %d %d %.0f %.0f %.0f%n", schemas ? "json-schema" : "json", length, size,
                rates[rounds / 2], rates[0], rates[rounds - 1]);
    }

    static double run(List<Transformation<SourceRecord>> chain, JsonConverter converter, String payload,
                      boolean schemas, int records) {
        Schema schema = schemas ? Schema.STRING_SCHEMA : null;
        long bytes = 0;
        long start = System.nanoTime();
        for (int i = 0; i < records; i++) {
            SourceRecord record = new SourceRecord(PARTITION, OFFSET, "lines", schema, payload);
            for (Transformation<SourceRecord> transformation : chain) {
                record = transformation.apply(record);
            }
            bytes += converter.fromConnectData("lines", record.valueSchema(), record.value()).length;
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        if (bytes == 0) {
            throw new IllegalStateException();
        }
        return records / seconds;
    }

    static List<Transformation<SourceRecord>> chain(boolean schemas) {
        List<Transformation<SourceRecord>> chain = new ArrayList<>();
        add(chain, new HoistField.Value<>(), "field", "line");
        add(chain, new InsertField.Value<>(), "topic.field", "topic", "static.field", "origin", "static.value", "benchmark");
        add(chain, new ReplaceField.Value<>(), "exclude", "topic", "renames", "line:text");
        add(chain, new InsertField.Value<>(), "topic.field", "topic");
        add(chain, new MaskField.Value<>(), "fields", "origin");
        if (schemas) {
            add(chain, new SetSchemaMetadata.Value<>(), "schema.name", "benchmark");
        } else {
            add(chain, new ReplaceField.Value<>(), "exclude", "origin");
        }
        return chain;
    }

    static void add(List<Transformation<SourceRecord>> chain, Transformation<SourceRecord> next, String... settings) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            map.put(settings[i], settings[i + 1]);
        }
        next.configure(map);
        chain.add(next);
    }
}
