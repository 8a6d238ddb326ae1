/**
 * The lines of a Traccar server's `traccar.xml` with which it sends its positions. With its defaults Traccar repeats nothing,
 * and with `forward.retry.enable` alone it keeps 100 positions to be repeated. `origin`: of the feed.
 */
export function traccarForward(origin: string, token: string): string[] {
  return [
    `<entry key='forward.type'>json</entry>`,
    `<entry key='forward.url'>${origin}/feed/v1/traccar</entry>`,
    `<entry key='forward.header'>x-feed-token: ${token}</entry>`,
    `<entry key='forward.retry.enable'>true</entry>`,
    `<entry key='forward.retry.count'>10</entry>`,
    `<entry key='forward.retry.limit'>10000</entry>`,
  ]
}
