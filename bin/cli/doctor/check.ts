/** What one look at the installation found. `hint` says what to do about it. */
export interface Finding {
  readonly check: string;
  readonly verdict: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly hint: string | null;
}

export function fine(check: string, detail: string): Finding {
  return { check, verdict: 'ok', detail, hint: null };
}

export function warning(check: string, detail: string, hint: string): Finding {
  return { check, verdict: 'warning', detail, hint };
}

export function failed(check: string, detail: string, hint: string): Finding {
  return { check, verdict: 'failed', detail, hint };
}
