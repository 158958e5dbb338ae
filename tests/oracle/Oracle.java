import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.ConnectSchema;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaProjector;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.data.Values;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;
import org.apache.kafka.connect.util.ConnectorUtils;

/** Answers cases (JSON lines on stdin) with what Kafka Connect's own classes do (JSON lines on stdout). */
public final class Oracle {
    static final ObjectMapper JSON = new ObjectMapper();
    static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);

    static {
        JSON.configure(JsonGenerator.Feature.ESCAPE_NON_ASCII, true);
    }

    public static void main(String[] arguments) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
        out.println(JSON.writeValueAsString(NODES.objectNode().put("kafka", AppInfoParser.getVersion())));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(JSON.writeValueAsString(answer(JSON.readTree(line))));
        }
        out.flush();
    }

    static JsonNode answer(JsonNode c) {
        try {
            return switch (c.get("kind").asText()) {
                case "converter" -> Cases.converter(c);
                case "transform" -> Cases.transform(c);
                case "predicate" -> Cases.predicate(c);
                case "values" -> Cases.values(c);
                case "configdef" -> Definitions.documented(c);
                case "definition" -> Definitions.defined(c);
                case "projector" -> Cases.projector(c);
                case "topics_regex" -> Workings.topicsRegex(c);
                case "group_partitions" -> Workings.groupPartitions(c);
                case "submitted" -> Workings.submitted(c);
                case "validate" -> Cases.validate(c);
                case "builder" -> Steps.builder(c);
                case "struct" -> Steps.struct(c);
                case "headers" -> Steps.headers(c);
                case "config" -> Steps.config(c);
                default -> throw new IllegalArgumentException("unknown kind: " + c);
            };
        } catch (Throwable failure) {
            return error("configure", failure);
        }
    }

    static ObjectNode error(String stage, Throwable failure) {
        ObjectNode told = told(failure);
        if (failure.getCause() != null && failure.getCause() != failure) {
            told.set("cause", told(failure.getCause()));
        }
        ObjectNode result = NODES.objectNode().put("stage", stage);
        result.set("error", told);
        return result;
    }

    private static ObjectNode told(Throwable failure) {
        String message = failure.getMessage();
        // Identity hashes differ from run to run.
        String stable = message == null ? null : message.replaceAll("@[0-9a-f]{5,8}\\b", "@<hash>");
        return NODES.objectNode().put("class", failure.getClass().getName()).put("message", stable);
    }

    static Object instance(String name) throws Exception {
        return classOf(name).getDeclaredConstructor().newInstance();
    }

    static Class<?> classOf(String name) throws ClassNotFoundException {
        for (String room : List.of("json", "storage", "converters", "transforms", "transforms.predicates")) {
            try {
                return Class.forName("org.apache.kafka.connect." + room + "." + name);
            } catch (ClassNotFoundException elsewhere) {
                continue;
            }
        }
        throw new ClassNotFoundException(name);
    }
}

/** One method for each kind of case. */
final class Cases {
    static JsonNode converter(JsonNode c) throws Exception {
        String role = c.path("role").asText("value");
        Object converter = Oracle.instance(c.get("class").asText());
        Map<String, Object> settings = Notation.settings(c.path("settings"));
        if (role.equals("header")) {
            settings.put("converter.type", "header");
            ((HeaderConverter) converter).configure(settings);
        } else {
            ((Converter) converter).configure(settings, role.equals("key"));
        }
        try {
            return c.get("direction").asText().equals("from") ? from(converter, role, c) : to(converter, role, c);
        } catch (Throwable failure) {
            return Oracle.error("convert", failure);
        }
    }

    private static JsonNode from(Object converter, String role, JsonNode c) {
        SchemaAndValue data = Notation.data(c.get("data"));
        byte[] bytes = role.equals("header")
            ? ((HeaderConverter) converter).fromConnectHeader("topic", "header", data.schema(), data.value())
            : ((Converter) converter).fromConnectData("topic", data.schema(), data.value());
        return Notation.bytes(bytes);
    }

    private static JsonNode to(Object converter, String role, JsonNode c) {
        byte[] bytes = Notation.bytes(c);
        SchemaAndValue data = role.equals("header")
            ? ((HeaderConverter) converter).toConnectHeader("topic", "header", bytes)
            : ((Converter) converter).toConnectData("topic", bytes);
        return result("data", Notation.data(data));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static JsonNode transform(JsonNode c) throws Exception {
        Transformation transformation = (Transformation) Oracle.instance(c.get("class").asText());
        transformation.configure(Notation.settings(c.path("settings")));
        if (!c.has("record")) {
            return result("configured", Oracle.NODES.booleanNode(true));
        }
        ConnectRecord record = Notation.record(c.get("record"));
        try {
            return result("record", Notation.record(transformation.apply(record)));
        } catch (Throwable failure) {
            return Oracle.error("apply", failure);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static JsonNode predicate(JsonNode c) throws Exception {
        Predicate predicate = (Predicate) Oracle.instance(c.get("class").asText());
        predicate.configure(Notation.settings(c.path("settings")));
        if (!c.has("record")) {
            return result("configured", Oracle.NODES.booleanNode(true));
        }
        ConnectRecord record = Notation.record(c.get("record"));
        try {
            return result("boolean", Oracle.NODES.booleanNode(predicate.test(record)));
        } catch (Throwable failure) {
            return Oracle.error("apply", failure);
        }
    }

    static JsonNode values(JsonNode c) {
        String method = c.get("method").asText();
        try {
            if (method.equals("parseString")) {
                return result("data", Notation.data(Values.parseString(c.get("text").textValue())));
            }
            SchemaAndValue data = Notation.data(c.get("data"));
            if (method.equals("inferSchema")) {
                return result("schema", Notation.schema(Values.inferSchema(data.value())));
            }
            return converted(method, c.path("scale").asInt(0), data);
        } catch (Throwable failure) {
            return Oracle.error("convert", failure);
        }
    }

    private static JsonNode converted(String method, int scale, SchemaAndValue data) {
        Schema schema = data.schema();
        Object value = data.value();
        Object converted = switch (method) {
            case "convertToBoolean" -> Values.convertToBoolean(schema, value);
            case "convertToByte" -> Values.convertToByte(schema, value);
            case "convertToShort" -> Values.convertToShort(schema, value);
            case "convertToInteger" -> Values.convertToInteger(schema, value);
            case "convertToLong" -> Values.convertToLong(schema, value);
            case "convertToFloat" -> Values.convertToFloat(schema, value);
            case "convertToDouble" -> Values.convertToDouble(schema, value);
            case "convertToString" -> Values.convertToString(schema, value);
            case "convertToList" -> Values.convertToList(schema, value);
            case "convertToMap" -> Values.convertToMap(schema, value);
            case "convertToStruct" -> Values.convertToStruct(schema, value);
            case "convertToDate" -> Values.convertToDate(schema, value);
            case "convertToTime" -> Values.convertToTime(schema, value);
            case "convertToTimestamp" -> Values.convertToTimestamp(schema, value);
            case "convertToDecimal" -> Values.convertToDecimal(schema, value, scale);
            default -> throw new IllegalArgumentException(method);
        };
        return result("value", Notation.value(converted, null));
    }

    static JsonNode projector(JsonNode c) {
        Schema source = Notation.schema(c.get("source"));
        Schema target = Notation.schema(c.get("target"));
        Object value = Notation.value(c.get("value"), source);
        try {
            return result("value", Notation.value(SchemaProjector.project(source, value, target), target));
        } catch (Throwable failure) {
            return Oracle.error("project", failure);
        }
    }

    static JsonNode validate(JsonNode c) {
        Schema schema = Notation.schema(c.get("schema"));
        Object value = Notation.value(c.get("value"), schema);
        try {
            ConnectSchema.validateValue(schema, value);
            return result("valid", Oracle.NODES.booleanNode(true));
        } catch (Throwable failure) {
            return Oracle.error("validate", failure);
        }
    }

    static ObjectNode result(String name, JsonNode node) {
        ObjectNode result = Oracle.NODES.objectNode();
        result.set(name, node);
        return result;
    }
}

/** Definitions of configurations: those of Kafka's classes, and any that a case spells out. */
final class Definitions {
    static JsonNode documented(JsonNode c) throws Exception {
        Object plugin = Oracle.instance(c.get("class").asText());
        Method config = plugin.getClass().getMethod("config");
        ConfigDef definition = (ConfigDef) config.invoke(plugin);
        ObjectNode result = Oracle.NODES.objectNode();
        result.set("keys", keys(definition));
        result.set("groups", Oracle.JSON.valueToTree(definition.groups()));
        return result.put("enriched_rst", definition.toEnrichedRst()).put("html", definition.toHtml());
    }

    private static ObjectNode rendered(ConfigDef definition, ObjectNode result) {
        result.put("rst", definition.toRst()).put("enriched_rst", definition.toEnrichedRst());
        return result.put("html", definition.toHtml()).put("html_table", definition.toHtmlTable());
    }

    private static ArrayNode keys(ConfigDef definition) {
        ArrayNode keys = Oracle.NODES.arrayNode();
        for (ConfigDef.ConfigKey key : new TreeMap<>(definition.configKeys()).values()) {
            ObjectNode node = keys.addObject().put("name", key.name).put("type", key.type.toString());
            boolean required = key.defaultValue == ConfigDef.NO_DEFAULT_VALUE;
            node.put("required", required);
            node.put("default", required ? null : ConfigDef.convertToString(key.defaultValue, key.type));
            node.put("default_is_null", key.defaultValue == null);
            node.put("validator", key.validator == null ? null : key.validator.toString());
            node.put("importance", key.importance.toString()).put("documentation", key.documentation);
            node.put("group", key.group).put("order", key.orderInGroup).put("width", key.width.toString());
            node.put("display_name", key.displayName).put("internal", key.internalConfig);
            node.put("alternative", key.alternativeString);
            node.set("dependents", Oracle.JSON.valueToTree(key.dependents));
            node.put("recommender", key.recommender == null ? null : key.recommender.getClass().getName());
        }
        return keys;
    }

    static ConfigDef definition(JsonNode c) {
        ConfigDef definition = new ConfigDef();
        for (JsonNode key : c.get("define")) {
            define(definition, key);
        }
        return definition;
    }

    static JsonNode defined(JsonNode c) {
        ConfigDef definition = definition(c);
        try {
            return switch (c.get("method").asText()) {
                case "render" -> rendered(definition, Oracle.NODES.objectNode());
                case "parse" -> parsed(definition, c);
                default -> validated(definition, c);
            };
        } catch (Throwable failure) {
            return Oracle.error(c.get("method").asText(), failure);
        }
    }

    private static JsonNode parsed(ConfigDef definition, JsonNode c) {
        ObjectNode values = Oracle.NODES.objectNode();
        Map<String, Object> parsed = definition.parse(Notation.settings(c.get("properties")));
        new TreeMap<>(parsed).forEach((name, value) -> values.set(name, shown(value)));
        return Cases.result("values", values);
    }

    private static JsonNode validated(ConfigDef definition, JsonNode c) {
        Map<String, String> properties = new LinkedHashMap<>();
        Notation.settings(c.get("properties")).forEach((name, value) -> properties.put(name, (String) value));
        ArrayNode configs = Oracle.NODES.arrayNode();
        List<ConfigValue> all = new ArrayList<>(definition.validate(properties));
        all.sort((one, other) -> one.name().compareTo(other.name()));
        for (ConfigValue value : all) {
            ObjectNode node = configs.addObject().put("name", value.name());
            node.set("value", shown(value.value()));
            node.set("errors", Oracle.JSON.valueToTree(value.errorMessages()));
            node.put("visible", value.visible());
        }
        return Cases.result("configs", configs);
    }

    static JsonNode shown(Object value) {
        if (value instanceof Class<?> type) {
            return Cases.result("$class", Oracle.NODES.textNode(type.getName()));
        }
        if (value instanceof org.apache.kafka.common.config.types.Password secret) {
            return Cases.result("$password", Oracle.NODES.textNode(secret.value()));
        }
        return Notation.value(value, null);
    }

    private static void define(ConfigDef definition, JsonNode key) {
        String name = key.get("name").asText();
        Object standard = key.has("default") ? Notation.value(key.get("default"), null) : ConfigDef.NO_DEFAULT_VALUE;
        List<String> dependents = new ArrayList<>();
        key.path("dependents").forEach(dependent -> dependents.add(dependent.asText()));
        ConfigDef.Type type = ConfigDef.Type.valueOf(key.path("type").asText("STRING"));
        ConfigDef.Validator validator = key.has("validator") ? validator(key.get("validator")) : null;
        ConfigDef.Importance importance = ConfigDef.Importance.valueOf(key.path("importance").asText("MEDIUM"));
        String documentation = key.has("documentation") ? key.get("documentation").textValue() : "Documentation of " + name;
        String group = key.path("group").textValue();
        int order = key.path("order").asInt(-1);
        ConfigDef.Width width = ConfigDef.Width.valueOf(key.path("width").asText("NONE"));
        String displayName = key.path("display_name").asText(name);
        if (key.path("internal").asBoolean(false)) {
            definition.define(new ConfigDef.ConfigKey(name, type, standard, validator, importance, documentation,
                group, order, width, displayName, dependents, null, true));
        } else {
            definition.define(name, type, standard, validator, importance, documentation, group, order, width,
                displayName, dependents, null, key.path("alternative").textValue());
        }
    }

    private static ConfigDef.Validator validator(JsonNode node) {
        String kind = node.get(0).asText();
        List<String> rest = new ArrayList<>();
        for (int i = 1; i < node.size(); i++) {
            rest.add(node.get(i).asText());
        }
        String[] texts = rest.toArray(new String[0]);
        return switch (kind) {
            case "at_least" -> ConfigDef.Range.atLeast(node.get(1).numberValue());
            case "between" -> ConfigDef.Range.between(node.get(1).numberValue(), node.get(2).numberValue());
            case "valid_string" -> ConfigDef.ValidString.in(texts);
            case "case_insensitive" -> ConfigDef.CaseInsensitiveValidString.in(texts);
            case "valid_list" -> ConfigDef.ValidList.in(texts);
            case "non_null" -> new ConfigDef.NonNullValidator();
            case "non_empty" -> new ConfigDef.NonEmptyString();
            case "no_control_characters" -> ConfigDef.NonEmptyStringWithoutControlChars.nonEmptyStringWithoutControlChars();
            case "list_size" -> ConfigDef.ListSize.atMostOfSize(node.get(1).asInt());
            case "any_of_both" -> ConfigDef.CompositeValidator.of(
                validator(node.get(1)), validator(node.get(2)));
            default -> throw new IllegalArgumentException(kind);
        };
    }
}

/** The notation of NOTATION.md. */
final class Notation {
    private static final Map<String, Schema> LOGICAL =
        Map.of("date", Date.SCHEMA, "time", Time.SCHEMA, "timestamp", Timestamp.SCHEMA);

    static Map<String, Object> settings(JsonNode node) {
        Map<String, Object> settings = new HashMap<>();
        node.fields().forEachRemaining(entry -> settings.put(entry.getKey(), value(entry.getValue(), null)));
        return settings;
    }

    static byte[] bytes(JsonNode node) {
        if (node.hasNonNull("text")) {
            return node.get("text").asText().getBytes(StandardCharsets.UTF_8);
        }
        return node.hasNonNull("bytes") ? Base64.getDecoder().decode(node.get("bytes").asText()) : null;
    }

    static JsonNode bytes(byte[] bytes) {
        ObjectNode node = Oracle.NODES.objectNode();
        if (bytes == null) {
            return node.putNull("bytes");
        }
        // Identity hashes differ from run to run, here too.
        String text = new String(bytes, StandardCharsets.UTF_8).replaceAll("\\[B@[0-9a-f]{1,8}\\b", "[B@<hash>");
        boolean plain = text.chars().allMatch(character -> character >= 32 && character != 0xFFFD);
        return plain ? node.put("text", text) : node.put("bytes", bytes);
    }

    static SchemaAndValue data(JsonNode node) {
        if (node == null || node.isNull()) {
            return SchemaAndValue.NULL;
        }
        Schema schema = schema(node.get("schema"));
        return new SchemaAndValue(schema, value(node.get("value"), schema));
    }

    static JsonNode data(SchemaAndValue data) {
        return data == null ? Oracle.NODES.nullNode() : data(data.schema(), data.value());
    }

    static JsonNode data(Schema schema, Object value) {
        ObjectNode node = Oracle.NODES.objectNode();
        if (schema != null) {
            node.set("schema", schema(schema));
        }
        node.set("value", value(value, schema));
        return node;
    }

    @SuppressWarnings("rawtypes")
    static ConnectRecord record(JsonNode node) {
        String topic = node.path("topic").textValue();
        Integer partition = node.hasNonNull("partition") ? node.get("partition").asInt() : null;
        Long timestamp = node.hasNonNull("timestamp") ? node.get("timestamp").asLong() : null;
        SchemaAndValue key = data(node.get("key"));
        SchemaAndValue value = data(node.get("value"));
        ConnectHeaders headers = new ConnectHeaders();
        for (JsonNode header : node.path("headers")) {
            SchemaAndValue data = data(header.get(1));
            headers.add(header.get(0).asText(), data.value(), data.schema());
        }
        if (node.path("kind").asText("source").equals("sink")) {
            TimestampType type = timestamp == null ? TimestampType.NO_TIMESTAMP_TYPE : TimestampType.CREATE_TIME;
            return new SinkRecord(topic, partition == null ? 0 : partition, key.schema(), key.value(),
                value.schema(), value.value(), node.path("offset").asLong(0), timestamp, type, headers);
        }
        return new SourceRecord(Map.of("from", "here"), Map.of("at", 1L), topic, partition, key.schema(),
            key.value(), value.schema(), value.value(), timestamp, headers);
    }

    @SuppressWarnings("rawtypes")
    static JsonNode record(ConnectRecord record) {
        if (record == null) {
            return Oracle.NODES.nullNode();
        }
        ObjectNode node = Oracle.NODES.objectNode();
        node.put("kind", record instanceof SinkRecord ? "sink" : "source").put("topic", record.topic());
        if (record.kafkaPartition() != null) {
            node.put("partition", record.kafkaPartition());
        }
        if (record.keySchema() != null || record.key() != null) {
            node.set("key", data(record.keySchema(), record.key()));
        }
        if (record.valueSchema() != null || record.value() != null) {
            node.set("value", data(record.valueSchema(), record.value()));
        }
        if (record.timestamp() != null) {
            node.put("timestamp", record.timestamp());
        }
        if (!record.headers().isEmpty()) {
            ArrayNode headers = node.putArray("headers");
            for (Header header : record.headers()) {
                headers.addArray().add(header.key()).add(data(header.schema(), header.value()));
            }
        }
        if (record instanceof SinkRecord sink) {
            node.put("offset", sink.kafkaOffset());
            original(sink, node);
        }
        return node;
    }

    private static void original(SinkRecord sink, ObjectNode node) {
        boolean kept = sink.topic() == null ? sink.originalTopic() == null : sink.topic().equals(sink.originalTopic());
        if (!kept) {
            node.put("original_topic", sink.originalTopic());
        }
    }

    static Schema schema(JsonNode node) {
        if (node == null || node.isNull()) {
            return null;
        }
        return node.isTextual() ? shorthand(node.asText()) : full(node);
    }

    private static Schema shorthand(String text) {
        boolean optional = text.endsWith("?");
        String name = optional ? text.substring(0, text.length() - 1) : text;
        Schema logical = LOGICAL.get(name);
        if (name.startsWith("decimal(")) {
            logical = Decimal.schema(Integer.parseInt(name.substring(8, name.length() - 1)));
        }
        if (logical == null) {
            return new ConnectSchema(type(name), optional, null, null, null, null, null, null, null, null);
        }
        return new ConnectSchema(logical.type(), optional, null, logical.name(), logical.version(), null,
            logical.parameters(), null, null, null);
    }

    private static Schema full(JsonNode node) {
        Schema bare = full(node, null);
        return node.hasNonNull("default") ? full(node, value(node.get("default"), bare)) : bare;
    }

    private static Schema full(JsonNode node, Object standard) {
        Schema base = shorthand(node.get("type").asText());
        boolean struct = base.type() == Schema.Type.STRUCT;
        List<Field> fields = struct ? new ArrayList<>() : null;
        for (JsonNode field : node.path("fields")) {
            fields.add(new Field(field.get(0).asText(), fields.size(), schema(field.get(1))));
        }
        Map<String, String> parameters = base.parameters() == null ? null : new LinkedHashMap<>(base.parameters());
        if (node.has("parameters")) {
            Map<String, String> more = parameters == null ? new LinkedHashMap<>() : parameters;
            node.get("parameters").fields().forEachRemaining(entry -> more.put(entry.getKey(), entry.getValue().asText()));
            parameters = more;
        }
        Integer version = node.hasNonNull("version") ? Integer.valueOf(node.get("version").asInt()) : base.version();
        return new ConnectSchema(base.type(), base.isOptional() || node.path("optional").asBoolean(false), standard,
            node.hasNonNull("name") ? node.get("name").asText() : base.name(), version, node.path("doc").textValue(),
            parameters, fields, schema(node.get("keys")), schema(base.type() == Schema.Type.ARRAY ? node.get("items") : node.get("values")));
    }

    static Schema.Type type(String name) {
        return Schema.Type.valueOf(name.toUpperCase(java.util.Locale.ROOT));
    }

    static JsonNode schema(Schema schema) {
        if (schema == null) {
            return Oracle.NODES.nullNode();
        }
        String head = head(schema);
        boolean short_ = schema.type().isPrimitive() && schema.defaultValue() == null && schema.doc() == null;
        if (short_ && shorthand(head + (schema.isOptional() ? "?" : "")).equals(plain(schema))) {
            return Oracle.NODES.textNode(head + (schema.isOptional() ? "?" : ""));
        }
        ObjectNode node = Oracle.NODES.objectNode().put("type", schema.type().getName());
        if (schema.isOptional()) {
            node.put("optional", true);
        }
        if (schema.name() != null) {
            node.put("name", schema.name());
        }
        if (schema.version() != null) {
            node.put("version", schema.version());
        }
        if (schema.doc() != null) {
            node.put("doc", schema.doc());
        }
        if (schema.parameters() != null && !schema.parameters().isEmpty()) {
            ObjectNode parameters = node.putObject("parameters");
            new TreeMap<>(schema.parameters()).forEach(parameters::put);
        }
        inner(schema, node);
        if (schema.defaultValue() != null) {
            node.set("default", value(schema.defaultValue(), schema));
        }
        return node;
    }

    private static Schema plain(Schema schema) {
        return new ConnectSchema(schema.type(), schema.isOptional(), null, schema.name(), schema.version(), null,
            schema.parameters(), null, null, null);
    }

    private static String head(Schema schema) {
        for (Map.Entry<String, Schema> entry : LOGICAL.entrySet()) {
            if (entry.getValue().name().equals(schema.name())) {
                return entry.getKey();
            }
        }
        boolean decimal = Decimal.LOGICAL_NAME.equals(schema.name()) && schema.parameters() != null;
        String scale = decimal ? schema.parameters().get("scale") : null;
        return scale != null && scale.matches("0|-?[1-9][0-9]{0,8}") ? "decimal(" + scale + ")" : schema.type().getName();
    }

    private static void inner(Schema schema, ObjectNode node) {
        switch (schema.type()) {
            case ARRAY -> node.set("items", schema(schema.valueSchema()));
            case MAP -> {
                node.set("keys", schema(schema.keySchema()));
                node.set("values", schema(schema.valueSchema()));
            }
            case STRUCT -> {
                ArrayNode fields = node.putArray("fields");
                schema.fields().forEach(field -> fields.addArray().add(field.name()).add(schema(field.schema())));
            }
            default -> { }
        }
    }

    private static boolean is(Schema schema, Schema.Type type) {
        return schema != null && schema.type() == type;
    }

    private static Schema elements(Schema schema) {
        return is(schema, Schema.Type.ARRAY) || is(schema, Schema.Type.MAP) ? schema.valueSchema() : null;
    }

    private static Schema keys(Schema schema) {
        return is(schema, Schema.Type.MAP) ? schema.keySchema() : null;
    }

    static Object value(JsonNode node, Schema schema) {
        if (node == null || node.isNull()) {
            return null;
        }
        return switch (node.getNodeType()) {
            case BOOLEAN -> node.booleanValue();
            case STRING -> node.textValue();
            case NUMBER -> number(node, schema);
            case ARRAY -> {
                List<Object> list = new ArrayList<>();
                node.forEach(element -> list.add(value(element, elements(schema))));
                yield list;
            }
            default -> object(node, schema);
        };
    }

    private static Object number(JsonNode node, Schema schema) {
        Schema.Type type = schema == null ? null : schema.type();
        if (type == Schema.Type.FLOAT32) {
            return (float) node.doubleValue();
        }
        if (type == Schema.Type.FLOAT64 || !node.isIntegralNumber()) {
            return node.doubleValue();
        }
        if (type == Schema.Type.INT8) {
            return (byte) node.longValue();
        }
        if (type == Schema.Type.INT16) {
            return (short) node.longValue();
        }
        return type == Schema.Type.INT32 ? (Object) (int) node.longValue() : (Object) node.longValue();
    }

    private static Object object(JsonNode node, Schema schema) {
        String first = node.isEmpty() ? "" : node.fieldNames().next();
        if (first.startsWith("$")) {
            return tagged(first, node.get(first), schema);
        }
        if (is(schema, Schema.Type.STRUCT)) {
            return struct(node, schema);
        }
        Map<Object, Object> map = new LinkedHashMap<>();
        node.fields().forEachRemaining(entry -> map.put(entry.getKey(), value(entry.getValue(), elements(schema))));
        return map;
    }

    private static Struct struct(JsonNode fields, Schema schema) {
        Struct struct = new Struct(schema);
        fields.fields().forEachRemaining(entry -> {
            Field field = schema.field(entry.getKey());
            struct.put(entry.getKey(), value(entry.getValue(), field == null ? null : field.schema()));
        });
        return struct;
    }

    private static Object tagged(String tag, JsonNode node, Schema schema) {
        return switch (tag) {
            case "$int8" -> (byte) node.longValue();
            case "$int16" -> (short) node.longValue();
            case "$int32" -> (int) node.longValue();
            case "$int64" -> node.longValue();
            case "$float32" -> node.isTextual() ? Float.parseFloat(node.asText()) : (float) node.doubleValue();
            case "$float64" -> node.isTextual() ? Double.parseDouble(node.asText()) : node.doubleValue();
            case "$bigint" -> new BigInteger(node.asText());
            case "$bytes" -> Base64.getDecoder().decode(node.asText());
            case "$buffer" -> ByteBuffer.wrap(Base64.getDecoder().decode(node.asText()));
            case "$decimal" -> new BigDecimal(new BigInteger(node.get(0).asText()), node.get(1).asInt());
            case "$date" -> new java.util.Date(node.longValue());
            case "$uuid" -> UUID.fromString(node.asText());
            case "$map" -> {
                Map<Object, Object> map = new LinkedHashMap<>();
                node.forEach(pair -> map.put(value(pair.get(0), keys(schema)), value(pair.get(1), elements(schema))));
                yield map;
            }
            case "$struct" -> struct(node.get("fields"), node.has("schema") ? schema(node.get("schema")) : schema);
            default -> throw new IllegalArgumentException("unknown tag " + tag);
        };
    }

    private static JsonNode tag(String name, JsonNode node) {
        return Cases.result("$" + name, node);
    }

    static JsonNode value(Object value, Schema schema) {
        if (value == null) {
            return Oracle.NODES.nullNode();
        }
        if (value instanceof Number number) {
            return number(number, schema);
        }
        if (value instanceof Boolean truth) {
            return Oracle.NODES.booleanNode(truth);
        }
        if (value instanceof String text) {
            return Oracle.NODES.textNode(text);
        }
        if (value instanceof byte[] bytes) {
            return tag("bytes", Oracle.NODES.textNode(Base64.getEncoder().encodeToString(bytes)));
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return tag("buffer", Oracle.NODES.textNode(Base64.getEncoder().encodeToString(bytes)));
        }
        if (value instanceof java.util.Date date) {
            return tag("date", Oracle.NODES.numberNode(date.getTime()));
        }
        if (value instanceof UUID uuid) {
            return tag("uuid", Oracle.NODES.textNode(uuid.toString()));
        }
        return container(value, schema);
    }

    private static JsonNode container(Object value, Schema schema) {
        if (value instanceof List<?> list) {
            ArrayNode array = Oracle.NODES.arrayNode();
            list.forEach(element -> array.add(value(element, elements(schema))));
            return array;
        }
        if (value instanceof Map<?, ?> map) {
            return map(map, schema);
        }
        if (value instanceof Struct struct) {
            return struct(struct, schema);
        }
        throw new IllegalArgumentException("no notation for " + value.getClass());
    }

    private static JsonNode number(Number number, Schema schema) {
        if (number instanceof Byte || number instanceof Short || number instanceof Integer || number instanceof Long) {
            return whole(number, schema);
        }
        if (number instanceof Float || number instanceof Double) {
            boolean single = number instanceof Float;
            double value = number.doubleValue();
            boolean plain = single ? is(schema, Schema.Type.FLOAT32) : schema == null || is(schema, Schema.Type.FLOAT64);
            JsonNode node = Double.isInfinite(value) || Double.isNaN(value)
                ? Oracle.NODES.textNode(number.toString())
                : single ? Oracle.NODES.numberNode(number.floatValue()) : Oracle.NODES.numberNode(value);
            return plain && node.isNumber() ? node : tag(single ? "float32" : "float64", node);
        }
        if (number instanceof BigDecimal decimal) {
            ArrayNode pair = Oracle.NODES.arrayNode().add(decimal.unscaledValue().toString()).add(decimal.scale());
            return tag("decimal", pair);
        }
        return tag("bigint", Oracle.NODES.textNode(number.toString()));
    }

    private static JsonNode whole(Number number, Schema schema) {
        JsonNode node = Oracle.NODES.numberNode(number.longValue());
        Schema.Type type = number instanceof Byte ? Schema.Type.INT8
            : number instanceof Short ? Schema.Type.INT16
            : number instanceof Integer ? Schema.Type.INT32 : Schema.Type.INT64;
        boolean plain = is(schema, type) || (schema == null && type == Schema.Type.INT64);
        return plain ? node : tag(type.getName(), node);
    }

    private static JsonNode map(Map<?, ?> map, Schema schema) {
        boolean plain = map.keySet().stream().allMatch(key -> key instanceof String text && !text.startsWith("$"));
        if (plain && !is(schema, Schema.Type.STRUCT)) {
            ObjectNode node = Oracle.NODES.objectNode();
            map.keySet().stream().map(String.class::cast).sorted()
                .forEach(key -> node.set(key, value(map.get(key), elements(schema))));
            return node;
        }
        Map<String, JsonNode> sorted = new TreeMap<>();
        map.forEach((key, item) -> {
            JsonNode name = value(key, keys(schema));
            sorted.put(name.toString(), Oracle.NODES.arrayNode().add(name).add(value(item, elements(schema))));
        });
        ArrayNode pairs = Oracle.NODES.arrayNode();
        sorted.values().forEach(pairs::add);
        return tag("map", pairs);
    }

    private static JsonNode struct(Struct struct, Schema schema) {
        ObjectNode fields = Oracle.NODES.objectNode();
        boolean plain = struct.schema().equals(schema);
        for (Field field : struct.schema().fields()) {
            Object value = struct.getWithoutDefault(field.name());
            if (value != null) {
                fields.set(field.name(), value(value, field.schema()));
                plain &= !field.name().startsWith("$");
            }
        }
        if (plain) {
            return fields;
        }
        ObjectNode node = Oracle.NODES.objectNode();
        if (!struct.schema().equals(schema)) {
            node.set("schema", schema(struct.schema()));
        }
        node.set("fields", fields);
        return tag("struct", node);
    }
}

/** What a worker does between its plugins and Kafka. */
final class Workings {
    private static final String SUBMITTED = "org.apache.kafka.connect.runtime.SubmittedRecords";

    static JsonNode topicsRegex(JsonNode c) {
        Pattern pattern = Pattern.compile(c.get("pattern").asText());
        ArrayNode matching = Oracle.NODES.arrayNode();
        c.get("topics").forEach(topic -> {
            if (pattern.matcher(topic.asText()).matches()) {
                matching.add(topic.asText());
            }
        });
        return Oracle.NODES.objectNode().set("matching", matching);
    }

    static JsonNode groupPartitions(JsonNode c) {
        List<String> elements = new ArrayList<>();
        c.get("elements").forEach(element -> elements.add(element.asText()));
        ArrayNode groups = Oracle.NODES.arrayNode();
        for (List<String> group : ConnectorUtils.groupPartitions(elements, c.get("groups").asInt())) {
            ArrayNode node = groups.addArray();
            group.forEach(node::add);
        }
        return Oracle.NODES.objectNode().set("groups", groups);
    }

    /** Steps are ["submit", partition, offset], ["ack" | "drop", number of the submitted record] and ["commit"]. */
    static JsonNode submitted(JsonNode c) throws Exception {
        Object records = made(Class.forName(SUBMITTED));
        List<Object> submitted = new ArrayList<>();
        ArrayNode answers = Oracle.NODES.arrayNode();
        for (JsonNode step : c.get("steps")) {
            switch (step.get(0).asText()) {
                case "submit" -> submitted.add(call(records, "submit", new SourceRecord(
                    Map.of("p", step.get(1).asText()), Map.of("o", step.get(2).asLong()), "topic", null, null)));
                case "commit" -> answers.add(committable(call(records, "committableOffsets")));
                default -> call(submitted.get(step.get(1).asInt()), step.get(0).asText());
            }
        }
        return Oracle.NODES.objectNode().set("commits", answers);
    }

    private static JsonNode committable(Object found) throws Exception {
        Map<String, Long> offsets = new TreeMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) call(found, "offsets")).entrySet()) {
            offsets.put((String) ((Map<?, ?>) entry.getKey()).get("p"), (Long) ((Map<?, ?>) entry.getValue()).get("o"));
        }
        ObjectNode node = Oracle.NODES.objectNode();
        node.set("offsets", Oracle.JSON.valueToTree(offsets));
        return node.put("committable", (int) call(found, "numCommittableMessages"))
            .put("uncommittable", (int) call(found, "numUncommittableMessages"))
            .put("pending", (boolean) call(found, "hasPending"));
    }

    private static Object made(Class<?> owner) throws Exception {
        var constructor = owner.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    private static Object call(Object owner, String name, Object... arguments) throws Exception {
        for (Method method : owner.getClass().getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == arguments.length
                && (arguments.length == 0 || method.getParameterTypes()[0].isInstance(arguments[0]))) {
                method.setAccessible(true);
                return method.invoke(owner, arguments);
            }
        }
        throw new NoSuchMethodException(name);
    }
}

/** Objects that a case uses step by step, rightly or wrongly; each step has its answer. */
final class Steps {
    private interface Step {
        JsonNode take(JsonNode step) throws Exception;
    }

    private static ObjectNode taken(JsonNode c, Step step) {
        ArrayNode answers = Oracle.NODES.arrayNode();
        for (JsonNode one : c.get("steps")) {
            try {
                answers.add(step.take(one));
            } catch (java.lang.reflect.InvocationTargetException failure) {
                answers.add(Oracle.error(one.get(0).asText(), failure.getCause()));
            } catch (Throwable failure) {
                answers.add(Oracle.error(one.get(0).asText(), failure));
            }
        }
        return (ObjectNode) Cases.result("steps", answers);
    }

    private static JsonNode done() {
        return Oracle.NODES.booleanNode(true);
    }

    static JsonNode builder(JsonNode c) {
        SchemaBuilder builder = switch (c.get("type").asText()) {
            case "array" -> SchemaBuilder.array(Notation.schema(c.get("items")));
            case "map" -> SchemaBuilder.map(Notation.schema(c.get("keys")), Notation.schema(c.get("values")));
            default -> SchemaBuilder.type(Notation.type(c.get("type").asText()));
        };
        ObjectNode result = taken(c, step -> built(builder, step));
        result.set("schema", Notation.schema(builder.build()));
        return result;
    }

    private static JsonNode built(SchemaBuilder builder, JsonNode step) {
        JsonNode first = step.get(1);
        switch (step.get(0).asText()) {
            case "optional" -> builder.optional();
            case "required" -> builder.required();
            case "default" -> builder.defaultValue(Notation.value(first, builder));
            case "name" -> builder.name(literal(first));
            case "version" -> builder.version(first.isNull() ? null : first.intValue());
            case "doc" -> builder.doc(literal(first));
            case "parameter" -> builder.parameter(first.asText(), step.get(2).asText());
            default -> builder.field(first.textValue(), Notation.schema(step.get(2)));
        }
        return done();
    }

    /** The same object for the same text, as the literals of a program are. */
    private static String literal(JsonNode node) {
        return node.isNull() ? null : node.textValue().intern();
    }

    static JsonNode struct(JsonNode c) {
        Schema schema = Notation.schema(c.get("schema"));
        Struct struct = new Struct(schema);
        return taken(c, step -> {
            if (step.get(0).asText().equals("validate")) {
                struct.validate();
                return done();
            }
            Field field = schema.field(step.get(1).asText());
            Schema inner = field == null ? null : field.schema();
            if (step.get(0).asText().equals("put")) {
                struct.put(step.get(1).asText(), Notation.value(step.get(2), inner));
                return done();
            }
            Object found = Struct.class.getMethod(step.get(0).asText(), String.class).invoke(struct, step.get(1).asText());
            return Cases.result("value", Notation.value(found, inner));
        });
    }

    static JsonNode headers(JsonNode c) {
        ConnectHeaders headers = new ConnectHeaders();
        ObjectNode result = taken(c, step -> headed(headers, step));
        result.set("headers", all(headers));
        return result;
    }

    private static JsonNode all(Iterable<Header> headers) {
        ArrayNode found = Oracle.NODES.arrayNode();
        headers.forEach(header -> found.addArray().add(header.key()).add(Notation.data(header.schema(), header.value())));
        return found;
    }

    private static JsonNode headed(ConnectHeaders headers, JsonNode step) {
        String key = step.path(1).asText();
        JsonNode node = step.get(2);
        switch (step.get(0).asText()) {
            case "add", "addList", "addMap" -> data(headers, step.get(0).asText(), key, Notation.data(node));
            case "addBoolean" -> headers.addBoolean(key, node.booleanValue());
            case "addLong" -> headers.addLong(key, node.longValue());
            case "addDouble" -> headers.addDouble(key, node.doubleValue());
            case "remove" -> headers.remove(key);
            case "retainLatest" -> headers.retainLatest(key);
            case "retainAllLatest" -> headers.retainLatest();
            case "clear" -> headers.clear();
            case "size" -> { return Cases.result("value", Oracle.NODES.numberNode(headers.size())); }
            case "lastWithName" -> {
                Header last = headers.lastWithName(key);
                return Cases.result("headers", last == null ? Oracle.NODES.nullNode() : all(List.of(last)));
            }
            case "allWithName" -> { return Cases.result("headers", all(() -> headers.allWithName(key))); }
            default -> plain(headers, step.get(0).asText(), key, Notation.value(node, null));
        }
        return done();
    }

    private static void data(ConnectHeaders headers, String method, String key, SchemaAndValue data) {
        switch (method) {
            case "addList" -> headers.addList(key, (List<?>) data.value(), data.schema());
            case "addMap" -> headers.addMap(key, (Map<?, ?>) data.value(), data.schema());
            default -> headers.add(key, data.value(), data.schema());
        }
    }

    private static void plain(ConnectHeaders headers, String method, String key, Object value) {
        switch (method) {
            case "addString" -> headers.addString(key, (String) value);
            case "addBytes" -> headers.addBytes(key, (byte[]) value);
            case "addDecimal" -> headers.addDecimal(key, (BigDecimal) value);
            case "addDate" -> headers.addDate(key, (java.util.Date) value);
            case "addTime" -> headers.addTime(key, (java.util.Date) value);
            default -> headers.addTimestamp(key, (java.util.Date) value);
        }
    }

    static JsonNode config(JsonNode c) {
        AbstractConfig config = new AbstractConfig(
            Definitions.definition(c), Notation.settings(c.get("properties")), false) { };
        return taken(c, step -> {
            List<Class<?>> types = new ArrayList<>();
            List<Object> arguments = new ArrayList<>();
            for (JsonNode argument : (Iterable<JsonNode>) () -> skipped(step)) {
                types.add(argument.isBoolean() ? boolean.class : String.class);
                arguments.add(argument.isBoolean() ? (Object) argument.booleanValue() : argument.asText());
            }
            Method method = AbstractConfig.class.getDeclaredMethod(step.get(0).asText(), types.toArray(new Class<?>[0]));
            method.setAccessible(true);
            return Cases.result("value", told(method.invoke(config, arguments.toArray())));
        });
    }

    private static java.util.Iterator<JsonNode> skipped(JsonNode step) {
        var rest = step.iterator();
        rest.next();
        return rest;
    }

    private static JsonNode told(Object found) {
        if (found instanceof Set<?> names) {
            return Oracle.JSON.valueToTree(new TreeSet<>(names));
        }
        if (found instanceof Map<?, ?> map) {
            ObjectNode node = Oracle.NODES.objectNode();
            new TreeMap<>(map).forEach((key, value) -> node.set((String) key, Definitions.shown(value)));
            return node;
        }
        return Definitions.shown(found);
    }
}
