/** The reason of a failure of `fetch`, which reports only 'fetch failed'. */
export function fetchFailure(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

/** The text of a body in UTF-8. Rejects if it is longer than `maxBytes`, without reading the rest. */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`its answer is longer than ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/i

/** Whether what is sent to an IP address never leaves the machine. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address)
}
