import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/** Prints for each fault what HttpURLConnection makes of it: an error, or how much of the body it returns. */
public class Client {
    static String post(String fault) throws IOException {
        var connection = (HttpURLConnection) URI.create(System.getenv("BASE") + "/payments").toURL().openConnection();
        connection.setRequestMethod("POST");
        connection.setRequestProperty("api-key", "snd_java_" + fault);
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setDoOutput(true);
        connection.getOutputStream().write(System.getenv("ORDER").getBytes());
        return new String(connection.getInputStream().readAllBytes());
    }

    public static void main(String[] faults) {
        for (String fault : faults) {
            try {
                System.out.println(fault + (post(fault).endsWith("}") ? " whole" : " half"));
            } catch (IOException lost) {
                System.out.println(fault + " error");
            }
        }
        System.exit(0);
    }
}
