import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;

/** Client PORT CA PLAN: sends each call of a plan by OkHttp and prints what came back. */
public final class Client {
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    X509TrustManager trust = trust(Files.readAllBytes(Paths.get(arguments[1])));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {trust}, null);
    AtomicInteger connections = new AtomicInteger();
    OkHttpClient client =
        new OkHttpClient.Builder()
            .dns(name -> Collections.singletonList(InetAddress.getByName("127.0.0.1")))
            .sslSocketFactory(context.getSocketFactory(), trust)
            .followRedirects(false)
            .retryOnConnectionFailure(false)
            .readTimeout(30, TimeUnit.SECONDS)
            .eventListener(
                new EventListener() {
                  @Override
                  public void connectStart(Call call, InetSocketAddress address, Proxy proxy) {
                    connections.incrementAndGet();
                  }
                })
            .build();
    StringBuilder text = new StringBuilder();
    for (String line : Files.readAllLines(Paths.get(arguments[2]), StandardCharsets.UTF_8)) {
      String[] parts = line.split("\t");
      Request.Builder request = new Request.Builder().url("https://gw.test:" + port + parts[2]);
      String type = null;
      for (int index = 5; index < parts.length; index++) {
        String[] field = parts[index].split(": ", 2);
        if (field[0].equals("Content-Type")) {
          type = field[1];
        } else {
          request.addHeader(field[0], field[1]);
        }
      }
      request.method(parts[1], content(parts[1], parts[3], parts[4], type));
      try (Response response = client.newCall(request.build()).execute()) {
        byte[] received = response.body().bytes();
        text.append("answer " + parts[0] + " " + response.code() + " " + response.message() + "\n");
        Headers fields = response.headers();
        for (int index = 0; index < fields.size(); index++) {
          text.append("field " + fields.name(index) + ": " + fields.value(index) + "\n");
        }
        text.append("content " + received.length + " " + Base64.getEncoder().encodeToString(received) + "\n");
      }
    }
    System.out.print(text + "connections " + connections.get() + "\n");
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }

  private static RequestBody content(String method, String framing, String path, String type) throws Exception {
    MediaType media = type == null ? null : MediaType.parse(type);
    if (framing.equals("none")) {
      return method.equals("POST") ? RequestBody.create(media, new byte[0]) : null;
    }
    byte[] octets = Files.readAllBytes(Paths.get(path));
    if (!framing.equals("stream")) {
      return RequestBody.create(media, octets);
    }
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return media;
      }

      @Override
      public void writeTo(BufferedSink sink) throws java.io.IOException {
        for (int start = 0; start < octets.length; start += 7001) {
          sink.write(octets, start, Math.min(7001, octets.length - start));
          sink.flush();
        }
      }
    };
  }

  private static X509TrustManager trust(byte[] pem) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry(
        "ca", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem)));
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return (X509TrustManager) factory.getTrustManagers()[0];
  }
}
