/*
 * Answers of acts that are JSON already. The admin API sends them as they are, and the command line reads them.
 */

type Headers = Readonly<Record<string, string>>

/** A value as JSON text. */
export class JsonReply<Value = unknown> {
  declare readonly value?: Value
  readonly text: string | Buffer
  readonly headers: Headers

  constructor(text: string | Buffer, headers: Headers = {}) {
    this.text = text
    this.headers = headers
  }
}

/** A file that is made while it is sent. `Value`: of a file that is JSON. */
export class StreamedReply<Value = unknown> {
  declare readonly value?: Value
  readonly body: AsyncIterable<Uint8Array>
  readonly headers: Headers

  constructor(body: AsyncIterable<Uint8Array>, headers: Headers) {
    this.body = body
    this.headers = headers
  }
}

/** The value of an answer. */
export type ValueOf<Answer> = Answer extends JsonReply<infer Value> | StreamedReply<infer Value>
  ? Value
  : Answer
