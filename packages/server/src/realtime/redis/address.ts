/** Host and port of a server. */
export type Address = { readonly host: string; readonly port: number }

export function nameOf({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
