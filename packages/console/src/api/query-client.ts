import { QueryClient } from '@tanstack/react-query'
import { whenSignedOut } from './client.ts'
import { passes } from './error.ts'
import { every } from './refresh.ts'
import type { Session } from './types.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchInterval: every(false),
      retry: (failures, error) => passes(error) && failures < 2,
      // Without this a browser that believes itself offline would not even ask a server on loopback.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** The ways to sign in stay those of before. So do the roles, so that the page stays with what was typed. */
const SIGNED_OUT = {
  state: 'signed_out',
  expires_at: null,
  account: null,
  must_set_up_totp: false,
} as const

whenSignedOut(() =>
  queryClient.setQueryData<Session>(['session'], (before) => ({
    sign_on: before?.sign_on ?? null,
    takes_passwords: before?.takes_passwords ?? true,
    ...SIGNED_OUT,
    roles: before?.roles ?? [],
  })),
)
