/** A class that Iceberg's runtime wants to find under this name; no code of Iceberg. */
package org.apache.iceberg.spark.source;
