/** The part of `oidc-provider` that the tests use. Its own types come with those of Koa. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** A request on its way through the provider. */
  // biome-ignore lint/suspicious/noExplicitAny: the provider hands out entities of many kinds.
  export type ProviderContext = any

  export default class Provider {
    // biome-ignore lint/suspicious/noExplicitAny: its configuration has a hundred members.
    constructor(issuer: string, configuration: any)
    // biome-ignore lint/suspicious/noExplicitAny: an entity of the provider.
    readonly Grant: any
    use(middleware: (context: ProviderContext, next: () => Promise<void>) => Promise<void>): void
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ): Promise<void>
  }
}
