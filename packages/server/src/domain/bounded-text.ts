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
