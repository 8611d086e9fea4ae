package io.tidemark.delta.log;

/** One entry of a Delta log's commit, as the protocol defines it. */
public sealed interface Action
        permits AddFile, RemoveFile, CdcFile, SetTransaction, DomainMetadata, Metadata, Protocol, CommitInfo {}
