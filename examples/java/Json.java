import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Just enough JSON for this example; a real service has a library for it. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Objects become maps, arrays lists, integers longs. */
    static Object read(String text) {
        return new Json(text).value();
    }

    /** The value at a path, or null. */
    static Object at(Object json, String... path) {
        for (String name : path) {
            json = json instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return json;
    }

    static String write(Object value) {
        if (value instanceof Map<?, ?> map) {
            List<String> parts = new ArrayList<>();
            map.forEach((name, inner) -> parts.add(write(name) + ":" + write(inner)));
            return "{" + String.join(",", parts) + "}";
        }
        if (value instanceof String string) {
            return '"' + string.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
        return String.valueOf(value);
    }

    private Object value() {
        skip();
        char next = text.charAt(at);
        if (next == '{') {
            return object();
        }
        if (next == '[') {
            return array();
        }
        if (next == '"') {
            return string();
        }
        int begin = at;
        while (at < text.length() && "{}[],: \n\"".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(begin, at);
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> word.matches("-?\\d+") ? (Object) Long.valueOf(word) : Double.valueOf(word);
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> found = new LinkedHashMap<>();
        at++;
        for (skip(); text.charAt(at) != '}'; skip()) {
            String name = string();
            skip();
            at++; // the colon
            found.put(name, value());
            comma();
        }
        at++;
        return found;
    }

    private List<Object> array() {
        List<Object> found = new ArrayList<>();
        at++;
        for (skip(); text.charAt(at) != ']'; skip()) {
            found.add(value());
            comma();
        }
        at++;
        return found;
    }

    private String string() {
        StringBuilder found = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char next = text.charAt(at);
            if (next == '\\') {
                next = text.charAt(++at);
                if (next == 'u') {
                    next = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                    at += 4;
                } else {
                    int known = "bfnrt".indexOf(next);
                    next = known < 0 ? next : "\b\f\n\r\t".charAt(known);
                }
            }
            found.append(next);
        }
        at++;
        return found.toString();
    }

    private void comma() {
        skip();
        if (text.charAt(at) == ',') {
            at++;
        }
    }

    private void skip() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }
}
