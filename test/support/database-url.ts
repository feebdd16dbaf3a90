export const TEMPLATE_DATABASE = 'holdfast_template';

/** The same server and user, another database. */
export function urlOfDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}
