package io.tidemark.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Measures what this process spends on a piece of work. */
final class Meter {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path IO = Path.of("/proc/self/io");
    private static final Path THREADS = Path.of("/proc/self/task");
    /** Position of the user time behind a thread's name, followed by the system's time; see proc(5). */
    private static final int USER_TICKS = 11;

    private static final double TICKS_PER_SECOND = 100;
    private static final Path CLEAR = Path.of("/proc/self/clear_refs");
    /** What resets the peak of resident memory, see proc(5). */
    private static final String RESET_PEAK = "5";

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Meter() {}

    /** Something to measure. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /**
     * What a piece of work cost.
     *
     * @param wallSeconds elapsed time
     * @param cpuSeconds processor time of all threads of the process
     * @param compilerSeconds the part of it that the JVM's own compilers took, in steps of the system's clock ticks; 0 where
     *     the system does not tell
     * @param peakMegabytes greatest resident memory during the work, in 2^20 bytes; -1 where the system does not tell
     * @param writtenMegabytes bytes handed to write calls, in 2^20 bytes; -1 where the system does not tell
     */
    record Cost(
            double wallSeconds, double cpuSeconds, double compilerSeconds, long peakMegabytes, long writtenMegabytes) {}

    /** Runs the work once. */
    static Cost measure(Work work) throws Exception {
        System.gc();
        try {
            Files.writeString(CLEAR, RESET_PEAK);
        } catch (IOException e) {
            // Elsewhere the peak is that of the whole process so far, which is no less than that of the work.
        }
        long written = number(IO, "wchar:");
        double compilers = compilerSeconds();
        long cpu = SYSTEM.getProcessCpuTime();
        long begin = System.nanoTime();
        work.run();
        double wall = (System.nanoTime() - begin) / NANOS_PER_SECOND;
        double spent = (SYSTEM.getProcessCpuTime() - cpu) / NANOS_PER_SECOND;
        double compiled = Math.max(0, compilerSeconds() - compilers);
        long peakKilobytes = number(STATUS, "VmHWM:");
        long after = number(IO, "wchar:");
        return new Cost(
                wall,
                spent,
                compiled,
                peakKilobytes < 0 ? -1 : peakKilobytes >> 10,
                after < 0 ? -1 : (after - written) >> 20);
    }

    /** What the threads of the JVM's compilers have taken so far. Threads that have ended are not counted any more. */
    private static double compilerSeconds() {
        double ticks = 0;
        try (Stream<Path> threads = Files.list(THREADS)) {
            for (Path thread : threads.toList()) {
                String stat = Files.readString(thread.resolve("stat"));
                int name = stat.lastIndexOf(')');
                if (stat.substring(0, name).contains("CompilerThre")) {
                    String[] fields = stat.substring(name + 2).split(" ", -1);
                    ticks += Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[USER_TICKS + 1]);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // Elsewhere nobody tells, and a thread may end while it is looked at.
            return ticks / TICKS_PER_SECOND;
        }
        return ticks / TICKS_PER_SECOND;
    }

    private static long number(Path file, String key) {
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(key)) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
        } catch (IOException e) {
            return -1;
        }
        return -1;
    }
}
