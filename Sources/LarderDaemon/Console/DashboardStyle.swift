// How the page at `/` looks. Colours stand in the two `:root` rules and nowhere else: each pair that is used has the
// contrast that WCAG 2.2 asks for (§1.4.3 for text, §1.4.11 for the edges of what can be used), in light and in dark.
// Nothing is wider than a screen of 360 pixels: below 40rem the table's rows become blocks.

extension Dashboard {
    static let style: StaticString = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1c1c; --soft: #595959; --line: #d9d9d9;
          --edge: #767676; --accent: #a34a24; --onAccent: #ffffff; --bad: #b3261e; --link: #0b57d0; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #161616; --ink: #e8e8e8; --soft: #b0b0b0; --line: #3a3a3a;
            --edge: #8a8a8a; --accent: #e08a5f; --onAccent: #161616; --bad: #ff9c90; --link: #8ab4f8; }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 66rem; padding: 1rem; font: 16px/1.45 system-ui, sans-serif;
          background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
        header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; }
        h1 { margin: 0; font-size: 1.5rem; color: var(--accent); }
        h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
        a { color: var(--link); }
        form { display: flex; flex: 1; gap: .5rem; flex-wrap: wrap; min-width: 0; }
        input, select, button { font: inherit; padding: .35rem .6rem; border: 1px solid var(--edge); border-radius: 6px;
          background: var(--paper); color: var(--ink); max-width: 100%; }
        input { flex: 1; min-width: 10rem; }
        input::placeholder { color: var(--soft); opacity: 1; }
        button { background: var(--accent); color: var(--onAccent); border-color: transparent; cursor: pointer; }
        #lost { color: var(--bad); border: 2px solid var(--bad); border-radius: 6px; padding: .5rem .75rem;
          font-weight: 600; }
        #outcome { color: var(--soft); min-height: 1.5em; }
        #results { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem;
          grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); }
        #results li { display: flex; gap: .75rem; border: 1px solid var(--line); border-radius: 8px; padding: .6rem; }
        #results li div { min-width: 0; }
        #results img { width: 64px; height: 64px; object-fit: cover; border-radius: 4px; background: var(--line); }
        #results strong { display: block; }
        #results small { color: var(--soft); display: block; }
        table { width: 100%; border-collapse: collapse; }
        th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
        th { font-weight: 600; color: var(--soft); overflow-wrap: normal; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: 0; }
        dt { color: var(--soft); }
        dd { margin: 0; }
        .bad { color: var(--bad); }
        .links a { margin-right: 1rem; }
        @media (max-width: 40rem) {
          table, tbody, tr { display: block; }
          thead { display: none; }
          tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
          td { display: grid; grid-template-columns: 7rem 1fr; padding: .1rem 0; border: 0; }
          td::before { content: attr(data-name); color: var(--soft); }
        }

        """
}
