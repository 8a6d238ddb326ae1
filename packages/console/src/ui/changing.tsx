import { createContext, type ReactNode, useContext } from 'react'

/** Whether the reader may change what a part of the console shows. Dialogs of the own account are in no such part. */
const MayChange = createContext(true)

export const MayChangeHere = MayChange.Provider

export function useMayChange(): boolean {
  return useContext(MayChange)
}

/** Buttons that change something: not there for somebody who only reads. */
export function Changing({ children }: { children: ReactNode }) {
  return useMayChange() && children
}
