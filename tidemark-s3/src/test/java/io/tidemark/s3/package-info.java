/** Tests against a store in the same process. */
package io.tidemark.s3;
