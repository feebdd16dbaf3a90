/** Whether a `Host` header names this machine: `localhost`, a name below it, 127.0.0.0/8 or [::1], with or without port. */
export function isLoopbackHost(host: string): boolean {
  const name = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::[0-9]{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
  if (name === undefined) return false;
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true;
  return /^127\.(?:[0-9]{1,3}\.){2}[0-9]{1,3}$/.test(name);
}
