package io.tidemark.spark.engine.write;

import io.tidemark.core.type.StructType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileNameSpec;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Lets every attempt of a task write files of new names at their place. The driver learns of the files of those attempts
 * that Spark counts; what other attempts leave is named by no commit.
 */
final class FreshFiles extends FileCommitProtocol implements java.io.Serializable {
    private static final long serialVersionUID = 1;

    private final String directory;
    private final String prefix;
    private final StructType columns;
    private final int statisticsColumnsMax;
    /** Of one attempt, on its executor. */
    private transient @Nullable List<String> written;
    /** Of all counted attempts, on the driver. */
    private final transient List<WrittenFooter> committed = new ArrayList<>();

    /**
     * Prepares a write.
     *
     * @param directory folder of the files, as Hadoop's file systems take it
     * @param prefix start of the files' names
     * @param columns columns that stand in the files
     * @param statisticsColumnsMax how many leading leaf columns get statistics
     */
    FreshFiles(String directory, String prefix, StructType columns, int statisticsColumnsMax) {
        this.directory = directory;
        this.prefix = prefix;
        this.columns = columns;
        this.statisticsColumnsMax = statisticsColumnsMax;
    }

    /** The files. */
    List<WrittenFooter> committed() {
        return List.copyOf(committed);
    }

    @Override
    public void setupJob(JobContext job) {
        committed.clear();
    }

    @Override
    public void commitJob(JobContext job, Seq<TaskCommitMessage> messages) {
        for (TaskCommitMessage message : CollectionConverters.asJava(messages)) {
            committed.addAll(Arrays.asList((WrittenFooter[]) message.obj()));
        }
    }

    @Override
    public void onTaskCommit(TaskCommitMessage message) {
        // what counts is told when the job ends
    }

    /** Files of counted attempts go; those of attempts that still run are named by nobody. */
    @Override
    public void abortJob(JobContext job) {
        committed.clear();
    }

    @Override
    public void setupTask(TaskAttemptContext task) {
        written = new ArrayList<>();
    }

    @Override
    public String newTaskTempFile(TaskAttemptContext task, Option<String> folder, FileNameSpec name) {
        String file = String.format(
                Locale.ROOT,
                "%s-%05d-%s%s",
                prefix,
                task.getTaskAttemptID().getTaskID().getId(),
                UUID.randomUUID(),
                name.suffix());
        String relative = folder.isDefined() ? folder.get() + "/" + file : file;
        List<String> names = written;
        if (names == null) {
            throw new IllegalStateException("the task was not set up");
        }
        names.add(relative);
        return new Path(directory, relative).toString();
    }

    @Override
    public String newTaskTempFileAbsPath(TaskAttemptContext task, String absolute, FileNameSpec name) {
        throw new UnsupportedOperationException("partitions of tables lie in the table's folder");
    }

    /** The files are closed by now: their footers are read here, where they were written. */
    @Override
    public TaskCommitMessage commitTask(TaskAttemptContext task) {
        List<WrittenFooter> footers = new ArrayList<>();
        List<String> names = written;
        for (String name : names == null ? List.<String>of() : names) {
            try {
                footers.add(WrittenFooter.read(
                        new Path(directory, name), name, columns, statisticsColumnsMax, task.getConfiguration()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new TaskCommitMessage(footers.toArray(new WrittenFooter[0]));
    }

    @Override
    public void abortTask(TaskAttemptContext task) {
        List<String> names = written;
        for (String name : names == null ? List.<String>of() : names) {
            Path file = new Path(directory, name);
            try {
                file.getFileSystem(task.getConfiguration()).delete(file, false);
            } catch (IOException e) {
                // a file that no log names does no harm; the failure that led here matters more
                logWarning(() -> "the unused file " + file + " stays");
            }
        }
    }
}
