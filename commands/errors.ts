/** A job that others moved again and again while something was decided on it. Nothing was written for that. */
export class TooContended extends Error {
  override readonly name = 'TooContended';

  constructor(message = 'Other writers moved the job again and again; nothing was written for this command') {
    super(message);
  }
}

/** The log that is configured cannot do what was asked. */
export class NotSupportedByLog extends Error {
  override readonly name = 'NotSupportedByLog';
}
