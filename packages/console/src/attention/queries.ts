import {
  useAttributes,
  useCredentials,
  useObjects,
  useRefusedIdents,
  useTokens,
  useWebhooks,
  useWrongClocks,
} from '../api/queries.ts'

/** Everything that may need somebody. A person who does not oversee the organization may not see its keys and webhooks. */
export function useAttention(organization: number, oversees: boolean) {
  return {
    objects: useObjects(organization),
    refused: useRefusedIdents(organization),
    clocks: useWrongClocks(organization),
    webhooks: useWebhooks(organization, oversees),
    keys: useCredentials(organization, 'keys', oversees),
    feedTokens: useCredentials(organization, 'feed-tokens', oversees),
    tokens: useTokens(organization, oversees),
    attributes: useAttributes(organization, oversees),
  }
}
