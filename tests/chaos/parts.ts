import type { Part } from './part.ts'

/** In the order of the run; each is loaded only when selected. */
export const PARTS: Record<string, () => Promise<Part>> = {
  fuzz: async () => (await import('./fuzz/part.ts')).part,
  kills: async () => (await import('./kills/part.ts')).part,
  followers: async () => (await import('./followers/part.ts')).part,
  disk: async () => (await import('./disk/part.ts')).part,
  clients: async () => (await import('./clients/part.ts')).part,
  simulation: async () => (await import('./simulation/part.ts')).part,
  signals: async () => (await import('./signals/part.ts')).part,
  security: async () => (await import('./security/part.ts')).part,
  soak: async () => (await import('./soak/part.ts')).part,
  clock: async () => (await import('./clock/part.ts')).part,
  bounds: async () => (await import('./bounds/part.ts')).part,
}
