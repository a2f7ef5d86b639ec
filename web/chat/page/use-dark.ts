import { useEffect, useState } from 'preact/hooks';

/** Returns true while the page is dark, by the chosen theme or by the system's. */
export function useDark(): boolean {
  const [dark, setDark] = useState(isDark);
  useEffect(() => {
    const look = () => setDark(isDark());
    const system = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(look);
    system.addEventListener('change', look);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', look);
      chosen.disconnect();
    };
  }, []);
  return dark;
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
}
