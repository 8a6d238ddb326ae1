import type { Found } from './object-names.ts'

export type NamesQuestion = {
  question: number
  typed: string
  most: number
  /** Whether to load the list again. */
  anew: boolean
}

export type NamesAnswer = { question: number } & ({ found: Found } | { error: string })
