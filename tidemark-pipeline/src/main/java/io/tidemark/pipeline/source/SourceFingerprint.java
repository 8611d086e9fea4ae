package io.tidemark.pipeline.source;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.Snapshot;
import io.tidemark.pipeline.state.FlowEntry.Position;
import io.tidemark.sql.query.SnapshotFunctions;
import io.tidemark.sql.warehouse.Relations;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Everything that decides what a query gives: its text and those of its views, the versions of its tables, its files. If
 * the fingerprint is that of an earlier run, the query gives the same rows, unless it asks for the time or for chance.
 *
 * @param sha256 the fingerprint, in lower-case hexadecimal digits
 * @param isComplete whether equal fingerprints mean equal rows
 */
public record SourceFingerprint(String sha256, boolean isComplete) {
    /**
     * Takes the fingerprint of a query that was prepared.
     *
     * @param query the query as the user wrote it
     * @param ownViews the pipeline's own views that it reads
     * @param files absolute paths of the files that it reads
     * @param relations the resolver that prepared it
     */
    static SourceFingerprint of(
            QueryText query, List<View> ownViews, Set<String> files, Relations relations, Warehouse warehouse) {
        Set<String> facts = new TreeSet<>();
        List<QueryText> texts = new ArrayList<>();
        texts.add(query);
        List<View> views = new ArrayList<>(ownViews);
        relations.viewsRead().forEach(name -> warehouse.view(name).ifPresent(views::add));
        for (View view : views) {
            facts.add("view " + view.name() + " " + view.columns() + " "
                    + view.query().sql());
            texts.add(view.query());
        }
        for (Map.Entry<TableName, Set<Snapshot>> table :
                relations.versionsRead().entrySet()) {
            for (Snapshot snapshot : table.getValue()) {
                Position position =
                        TablePosition.behind(table.getKey().toString(), warehouse.table(table.getKey()), snapshot);
                facts.add("table " + position);
            }
        }
        files.forEach(path -> facts.add(file(path)));
        String all = query.sql().strip() + "\n" + String.join("\n", facts);
        return new SourceFingerprint(sha256(all), texts.stream().noneMatch(SnapshotFunctions::mayChangeByItself));
    }

    private static String file(String path) {
        try {
            Path file = Path.of(path);
            return "file " + path + " " + Files.size(file) + " " + Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "size and time of file " + path + " cannot be read")
                    .cause(e)
                    .build();
        }
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
