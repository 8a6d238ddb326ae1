import type { Found } from './object-names.ts'

export type NamesQuestion = {
  question: number
  typed: string
  most: number
  /** Whether the list is to be asked for again. */
  anew: boolean
}

export type NamesAnswer = { question: number } & ({ found: Found } | { error: string })
