// Before anything is painted, so that a choice against the system's does not flash. See src/app/theme.ts.
try {
  const theme = localStorage.getItem('fleetgate.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is forbidden: the system's theme it is.
}
