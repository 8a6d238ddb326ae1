import { Kept, useCell } from '../kept.ts'

/**
 * `system` follows the setting of the operating system. public/theme.js does the same before the first
 * paint.
 */
export type Theme = 'system' | 'light' | 'dark'

const chosen = new Kept('theme')

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useCell(chosen)
  return [theme === 'light' || theme === 'dark' ? theme : 'system', choose]
}

function choose(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  chosen.set(theme === 'system' ? null : theme)
}
