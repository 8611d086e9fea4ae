package io.tidemark.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Stands between a client and a store, and does to requests and answers what networks and other stores do. */
final class Gateway implements AutoCloseable {
    private static final Set<String> NOT_FORWARDED =
            Set.of("host", "connection", "content-length", "expect", "upgrade", "transfer-encoding", "http2-settings");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI store;
    private volatile Rule rule = Request::pass;

    /** What happens to a request. */
    interface Rule {
        void handle(Request request) throws IOException, InterruptedException;
    }

    /** A request and the ways to treat it. */
    final class Request {
        private final HttpExchange exchange;
        private final byte[] body;

        Request(HttpExchange exchange) throws IOException {
            this.exchange = exchange;
            this.body = exchange.getRequestBody().readAllBytes();
        }

        /** Whether it is a conditional PUT of a name that ends so. */
        boolean creates(String suffix) {
            return exchange.getRequestMethod().equals("PUT")
                    && exchange.getRequestHeaders().containsKey("If-None-Match")
                    && exchange.getRequestURI().getPath().endsWith(suffix);
        }

        boolean isConditional() {
            return creates("");
        }

        /** Sends it to the store and returns the answer. */
        HttpResponse<byte[]> forward(boolean withCondition) throws IOException, InterruptedException {
            return send(exchange.getRequestMethod(), withCondition, body);
        }

        boolean exists() throws IOException, InterruptedException {
            return send("HEAD", false, new byte[0]).statusCode() == 200;
        }

        private HttpResponse<byte[]> send(String method, boolean withCondition, byte[] content)
                throws IOException, InterruptedException {
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create(store + exchange.getRequestURI().toString()))
                    .method(method, HttpRequest.BodyPublishers.ofByteArray(content));
            exchange.getRequestHeaders().forEach((name, values) -> {
                String lower = name.toLowerCase(Locale.ROOT);
                boolean left = NOT_FORWARDED.contains(lower) || (!withCondition && lower.equals("if-none-match"));
                if (!left) {
                    values.forEach(value -> request.header(name, value));
                }
            });
            return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        }

        void answer(HttpResponse<byte[]> response) throws IOException {
            response.headers().map().forEach((name, values) -> {
                String lower = name.toLowerCase(Locale.ROOT);
                if (!lower.equals("content-length") && !lower.equals("transfer-encoding") && !lower.startsWith(":")) {
                    exchange.getResponseHeaders().put(name, List.copyOf(values));
                }
            });
            boolean head = exchange.getRequestMethod().equals("HEAD");
            if (head) {
                response.headers()
                        .firstValue("content-length")
                        .ifPresent(length -> exchange.getResponseHeaders().set("Content-Length", length));
            }
            byte[] content = response.body();
            exchange.sendResponseHeaders(response.statusCode(), head || content.length == 0 ? -1 : content.length);
            if (!head && content.length > 0) {
                exchange.getResponseBody().write(content);
            }
            exchange.close();
        }

        /** The connection breaks before an answer. */
        void drop() {
            exchange.close();
        }

        void answer(int status, String code) throws IOException {
            byte[] content = ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code
                            + "</Code><Message>made by a test</Message></Error>")
                    .getBytes(java.nio.charset.StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/xml");
            exchange.sendResponseHeaders(status, content.length);
            exchange.getResponseBody().write(content);
            exchange.close();
        }

        void pass() throws IOException, InterruptedException {
            answer(forward(true));
        }
    }

    Gateway(URI store) {
        this.store = store;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try {
            rule.handle(new Request(exchange));
        } catch (InterruptedException e) {
            exchange.close();
        }
    }

    void rule(Rule next) {
        rule = next;
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
