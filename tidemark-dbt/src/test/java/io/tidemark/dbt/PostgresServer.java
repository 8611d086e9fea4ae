package io.tidemark.dbt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A PostgreSQL server of the test's own, on the loopback, if the machine has one. */
final class PostgresServer implements AutoCloseable {
    private static final String USER = "tester";
    private static final int ATTEMPTS_MAX = 600;
    private static final long PAUSE_MILLIS = 100;

    private final Process process;
    private final Path folder;
    private final int port;

    private PostgresServer(Process process, Path folder, int port) {
        this.process = process;
        this.folder = folder;
        this.port = port;
    }

    /** The folder of the server's programs. */
    private static Optional<Path> programs() {
        try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin ->
                            Files.isExecutable(bin.resolve("initdb")) && Files.isExecutable(bin.resolve("postgres")))
                    .max(Comparator.naturalOrder());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Starts a server; nothing if the machine has none. */
    static Optional<PostgresServer> start() throws IOException, InterruptedException {
        Optional<Path> bin = programs();
        if (bin.isEmpty()) {
            return Optional.empty();
        }
        Path folder = Files.createTempDirectory("tidemark-postgres-");
        List<String> user = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // The server refuses to run with all rights.
            if (!succeeds(List.of("chown", "postgres", folder.toString()))) {
                return Optional.empty();
            }
            user.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        }
        Path data = folder.resolve("data");
        List<String> init = new ArrayList<>(user);
        init.addAll(List.of(
                bin.get().resolve("initdb").toString(),
                "-D",
                data.toString(),
                "-U",
                USER,
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-sync"));
        if (!succeeds(init)) {
            return Optional.empty();
        }
        int port = freePort();
        List<String> command = new ArrayList<>(user);
        command.addAll(List.of(
                bin.get().resolve("postgres").toString(),
                "-D",
                data.toString(),
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(port),
                "-k",
                folder.toString(),
                "-c",
                "fsync=off"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        PostgresServer server = new PostgresServer(process, folder, port);
        server.await();
        return Optional.of(server);
    }

    private static boolean succeeds(List<String> command) throws IOException, InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException e) {
            // There is no such program.
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void await() throws InterruptedException {
        for (int i = 0; i < ATTEMPTS_MAX && process.isAlive(); i++) {
            try {
                execute("SELECT 1");
                return;
            } catch (UncheckedSqlException e) {
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        close();
        throw new IllegalStateException("the server did not start");
    }

    int port() {
        return port;
    }

    String user() {
        return USER;
    }

    /** A failure of a statement. */
    static final class UncheckedSqlException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UncheckedSqlException(SQLException cause) {
            super(cause);
        }
    }

    void execute(String sql) {
        try (Connection connection =
                        DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres", USER, "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new UncheckedSqlException(e);
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
