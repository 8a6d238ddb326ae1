/**
 * The result of a try. `status`: of the last answer, or its MQTT reason code. `failure`: null if no answer was a refusal,
 * even if the body of a 2xx did not end in time. `arrived`: how many requests or messages were accepted, the first ones.
 */
export type Sent = { status: number | null; failure: string | null; arrived: number }

export type PublishedMessage = { readonly topic: string; readonly payload: string }

export type OutgoingRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
}

/**
 * The requests or messages of a try, which are sent in order, up to the first refusal. `hidden`: texts that no failure may repeat. Messages are published
 * by MQTT.
 */
export type Outgoing = { readonly url: string; readonly hidden: readonly string[] } & (
  | { readonly requests: readonly OutgoingRequest[] }
  | { readonly messages: readonly PublishedMessage[]; readonly credentials: string | null }
)

/** Whether a try sends no other request or message, because what it sends may have changed. */
export type IsOver = () => boolean

export type Sender = {
  /** Sends over one connection, which is closed afterwards. Never rejects. The signal aborts it. */
  send(outgoing: Outgoing, signal: AbortSignal, isOver?: IsOver): Promise<Sent>
  close(): void
}
