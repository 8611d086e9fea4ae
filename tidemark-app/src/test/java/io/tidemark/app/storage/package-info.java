/** Tests of what all storages have in common. */
package io.tidemark.app.storage;
