import pg from 'pg';

/**
 * One connection for looking at a product's tables from outside.
 * @param {string} connectionString
 */
export function openInspector(connectionString) {
  const pool = new pg.Pool({ connectionString, max: 1 });
  return {
    /** @param {string} sql @param {unknown[]} [values] */
    async rows(sql, values) {
      return (await pool.query(sql, values)).rows;
    },
    /** Of all tables of a schema with their indexes. @param {string} schema */
    async schemaBytes(schema) {
      const { rows } = await pool.query(
        `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes
         FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r'`,
        [schema],
      );
      return rows[0].bytes;
    },
    close: () => pool.end(),
  };
}
