package io.tidemark.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** A name node and a data node in this process. */
final class HdfsCluster implements AutoCloseable {
    private final MiniDFSCluster cluster;

    /** Starts it, with its files in a folder. */
    HdfsCluster(Path folder) {
        Configuration configuration = new Configuration();
        configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
        configuration.set("dfs.namenode.http-address", "127.0.0.1:0");
        configuration.set("dfs.datanode.http.address", "127.0.0.1:0");
        try {
            cluster = new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
            cluster.waitActive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its root folder. */
    String root() {
        return "hdfs://127.0.0.1:" + cluster.getNameNodePort();
    }

    void stopNameNode() {
        cluster.shutdownNameNode(0);
    }

    void startNameNode() {
        try {
            cluster.restartNameNode(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        cluster.shutdown(true);
    }
}
