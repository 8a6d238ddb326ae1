import { useQuery } from '@tanstack/react-query'
import { get } from '../api/client.ts'
import { ownerKey, useObjects } from '../api/queries.ts'
import { every } from '../api/refresh.ts'
import type { Credentials, RefusedIdents, Tokens, Webhooks, WrongClocks } from '../api/types.ts'

/** Everything that may need somebody. A person who does not oversee the organization may not see its keys and webhooks. */
export function useAttention(organization: number, oversees: boolean) {
  return {
    objects: useObjects(organization),
    refused: useList<RefusedIdents>(organization, 'refused-idents', true),
    clocks: useList<WrongClocks>(organization, 'wrong-clocks', true),
    webhooks: useList<Webhooks>(organization, 'webhooks', oversees),
    keys: useList<Credentials>(organization, 'keys', oversees),
    feedTokens: useList<Credentials>(organization, 'feed-tokens', oversees),
    tokens: useList<Tokens>(organization, 'tokens', oversees),
  }
}

function useList<Answer>(organization: number, list: string, isSeen: boolean) {
  return useQuery({
    queryKey: [...ownerKey(organization), list],
    queryFn: ({ signal }) => get<Answer>(`/organizations/${organization}/${list}`, signal),
    enabled: isSeen,
    refetchInterval: every(60_000),
  })
}
