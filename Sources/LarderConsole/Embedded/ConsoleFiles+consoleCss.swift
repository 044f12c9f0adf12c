// Files/console.css. Made by scripts/embed-console; not to be edited by hand.

extension ConsoleFiles {
    static let consoleCss: StaticString = #"""
        /* How the console looks. Colours stand in the two `:root` rules and nowhere else: each pair that is used has the contrast
           that WCAG 2.2 asks for (§1.4.3 for text, §1.4.11 for the edges of what can be used), in light and in dark. Nothing is
           wider than a screen of 360 pixels: below 44rem the rows of tables become blocks. */
        :root { color-scheme: light dark;
          --paper: #f6f5f2; --panel: #ffffff; --ink: #1d1b19; --soft: #5c5853; --line: #e0ddd7; --edge: #78736c;
          --accent: #9a4420; --onAccent: #ffffff; --wash: #f6e9e2; --link: #0b52b8; --bad: #ad1f17; --badWash: #fbe8e6;
          --good: #1b6a34; --goodWash: #e3f2e6; --warn: #7c5200; --warnWash: #fbefd5; --quiet: #eeece7;
          --tone0: #2f7d4f; --tone1: #2a66b8; --tone2: #b3541e; --tone3: #8a6a00; --tone4: #7a48a8; --tone5: #a02d5a;
          --tone6: #2b7f86; --tone7: #6b6660; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #141312; --panel: #1d1b1a; --ink: #ebe8e4; --soft: #b0aaa3; --line: #35322f; --edge: #8f8981;
            --accent: #e39468; --onAccent: #1d1410; --wash: #33241c; --link: #8db7f7; --bad: #ff9d92; --badWash: #3a201d;
            --good: #83cf98; --goodWash: #1b2f21; --warn: #e6bd62; --warnWash: #352b14; --quiet: #2a2725;
            --tone0: #6fc28b; --tone1: #7fb0f2; --tone2: #e39468; --tone3: #d9bb55; --tone4: #c09be6; --tone5: #ec8fb3;
            --tone6: #72c3ca; --tone7: #a8a29b; }
        }

        /* The page */
        * { box-sizing: border-box; }
        html { scroll-padding-top: 4rem; }
        body { margin: 0; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; background: var(--paper);
          color: var(--ink); overflow-wrap: anywhere; }
        [hidden] { display: none !important; }
        a { color: var(--link); text-underline-offset: .15em; }
        main { max-width: 78rem; margin: 0 auto; padding: 1rem clamp(.75rem, 3vw, 2rem) 2rem; display: grid; gap: 1rem;
          grid-template-columns: minmax(0, 1fr); }
        main:focus { outline: none; }
        h1 { margin: .25rem 0 0; font-size: 1.35rem; line-height: 1.25; letter-spacing: -.01em; }
        h2 { margin: 0; font-size: 1.02rem; }
        h3 { margin: 1.1rem 0 .3rem; font-size: .95rem; }
        p { margin: 0; }
        small { font-size: .85em; }
        .soft { color: var(--soft); }
        .bad { color: var(--bad); }
        .warn { color: var(--warn); }
        p:empty { display: none; }
        .mono { font: .87em/1.45 ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace; }
        .apart { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap; }
        .skip { position: absolute; left: .5rem; top: -4rem; z-index: 4; padding: .5rem .9rem; background: var(--panel);
          border: 2px solid var(--accent); border-radius: 6px; }
        .skip:focus { top: .5rem; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
        .top { position: sticky; top: 0; z-index: 3; display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: center;
          padding: 0 clamp(.75rem, 3vw, 2rem); background: var(--panel); border-bottom: 1px solid var(--line); }
        .brand { display: flex; gap: .5rem; align-items: center; padding: .55rem 0; font-weight: 700; font-size: 1.05rem;
          color: var(--ink); text-decoration: none; }
        .brand img { display: block; }
        .top nav { display: flex; overflow-x: auto; }
        .top nav a { padding: .7rem .7rem .6rem; color: var(--soft); text-decoration: none; white-space: nowrap;
          border-bottom: 3px solid transparent; }
        .top nav a:hover { color: var(--ink); }
        .top nav a[aria-current] { color: var(--accent); font-weight: 600; border-color: var(--accent); }
        .top nav a:focus-visible { outline-offset: -3px; }
        #lost { position: sticky; top: 2.8rem; z-index: 2; margin: 0; padding: .55rem clamp(.75rem, 3vw, 2rem); font-weight: 600;
          color: var(--bad); background: var(--badWash); border-bottom: 2px solid var(--bad); }
        .end { max-width: 78rem; margin: 0 auto; padding: 0 clamp(.75rem, 3vw, 2rem) 2rem; display: flex; flex-wrap: wrap;
          gap: .25rem 1.25rem; font-size: .87rem; }
        .panel { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1rem; min-width: 0; }
        .panel.flush { padding: 0; overflow: hidden; }

        /* Fields and buttons */
        input, select, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--edge);
          border-radius: 6px; padding: .34rem .6rem; max-width: 100%; min-width: 0; }
        input::placeholder { color: var(--soft); opacity: 1; }
        input[type=checkbox] { width: 1.05rem; height: 1.05rem; margin: 0; accent-color: var(--accent); }
        button { cursor: pointer; font-weight: 600; background: var(--accent); color: var(--onAccent); border-color: transparent; }
        button:hover { filter: brightness(1.08); }
        button.quiet { background: var(--quiet); color: var(--ink); border-color: var(--edge); font-weight: 500; }
        button.small { padding: .05rem .5rem; font-size: .82rem; white-space: nowrap; }
        .foot button.small { padding: .05rem .15rem; border: 0; background: none; color: var(--link); }
        .foot button.small:hover { text-decoration: underline; }
        .acts { display: inline-flex; gap: .4rem; margin-left: auto; }
        button.danger { background: var(--bad); color: var(--panel); }
        button:disabled { cursor: not-allowed; color: var(--soft); background: none; border-color: var(--line); }
        button.link { padding: 0; border: 0; background: none; color: var(--link); font-weight: 400; text-align: left; }
        button.link:hover { text-decoration: underline; }
        button[aria-pressed=true] { background: var(--wash); color: var(--accent); border-color: var(--accent); }
        .filters { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .6rem .75rem; align-items: end; }
        .filters label { display: grid; gap: .15rem; font-size: .82rem; color: var(--soft); min-width: 0; }
        .filters label input, .filters label select { font-size: .95rem; color: var(--ink); width: 100%; height: 2.25rem; }
        .filters button { height: 2.25rem; }
        .check { display: flex !important; gap: .45rem !important; align-items: center; min-height: 2.2rem; }
        .check input { width: 1.05rem !important; }

        /* Words with an explanation */
        .term { text-decoration: underline dotted 1px; text-decoration-color: var(--edge); text-underline-offset: .2em; cursor: help; }
        .pill.term { text-decoration: none; }
        #tip { position: fixed; z-index: 9; max-width: min(21rem, calc(100vw - 16px)); padding: .45rem .65rem; border-radius: 6px;
          font: 400 .87rem/1.4 system-ui, sans-serif; color: var(--paper); background: var(--ink); pointer-events: none; }
        .pill { display: inline-block; padding: 0 .5rem; border-radius: 99px; font-size: .8rem; line-height: 1.45rem; font-weight: 500;
          white-space: nowrap; color: var(--soft); background: var(--quiet); }
        .pill.hit, .pill.good, .pill.negative, .pill.joined, .pill.memoryHit { color: var(--good); background: var(--goodWash); }
        .pill.miss, .pill.revalidated { color: var(--link); background: var(--quiet); }
        .pill.stale { color: var(--warn); background: var(--warnWash); }
        .pill.bad { color: var(--bad); background: var(--badWash); }

        /* Search */
        .search { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .6rem; }
        .search > input { font-size: 1.1rem; padding: .5rem .8rem; border-radius: 8px; }
        .search > button { padding-inline: 1.2rem; border-radius: 8px; }
        .options { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .4rem 1.1rem; align-items: center; font-size: .87rem; }
        .options label { display: flex; gap: .4rem; align-items: center; color: var(--soft); }
        .options select { padding: .15rem .4rem; color: var(--ink); }
        .options .check { min-height: 0; }
        #outcome { color: var(--soft); min-height: 1.5em; display: block; }
        #outcome.working::after { content: ""; display: inline-block; width: .7em; height: .7em; margin-left: .5em; border-radius: 50%;
          border: 2px solid var(--line); border-top-color: var(--accent); animation: turn 1s linear infinite; }
        @keyframes turn { to { transform: rotate(1turn); } }
        @media (prefers-reduced-motion: reduce) { #outcome.working::after { animation: none; } }
        .marks { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem .4rem; margin: -.5rem 0 0; padding: 0; font-size: .82rem; }
        .marks:empty { display: none; }
        .mark { padding: 0 .55rem; line-height: 1.6rem; border-radius: 99px; background: var(--quiet); color: var(--soft); }
        .mark b { color: var(--ink); font-weight: 600; }
        .mark.bad, .mark.bad b, .mark.bad .soft { color: var(--bad); background: var(--badWash); border-radius: 10px; }
        .mark.loading { background: none; box-shadow: inset 0 0 0 1px var(--line); }
        #tabs { display: grid; gap: .35rem; border-bottom: 1px solid var(--line); padding-bottom: .6rem; }
        .tabs { display: flex; flex-wrap: wrap; gap: .25rem; align-items: center; }
        .tabs .label { width: 2.6rem; font-size: .82rem; color: var(--soft); }
        .tab { padding: .1rem .6rem; border-radius: 6px; color: var(--ink); text-decoration: none; border: 1px solid transparent; }
        .tab:hover { background: var(--quiet); }
        .tab[aria-current] { color: var(--accent); background: var(--wash); border-color: var(--accent); font-weight: 600; }
        .tally { margin-left: .4em; font-size: .8rem; font-weight: 400; color: var(--soft); }
        .tab[aria-current] .tally { color: inherit; }
        .cards { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem;
          grid-template-columns: repeat(auto-fill, minmax(min(23rem, 100%), 1fr)); scroll-margin-top: 4rem; }
        .card { display: flex; gap: .8rem; padding: .75rem; background: var(--panel); border: 1px solid var(--line); border-radius: 10px;
          min-width: 0; }
        .frame { flex: none; width: 72px; height: 72px; display: grid; place-items: center; overflow: hidden; border-radius: 6px;
          background: var(--quiet); color: var(--soft); font-size: 1.5rem; font-weight: 600; }
        .frame img { width: 100%; height: 100%; object-fit: cover; }
        .told { flex: 1; min-width: 0; display: flex; flex-direction: column; gap: .1rem; font-size: .9rem; }
        .told h2 { margin: 0; font-size: .98rem; line-height: 1.3; font-weight: 600; }
        .told h2 a { text-decoration: none; }
        .told h2 a:hover { text-decoration: underline; }
        .summary { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; overflow: hidden; }
        .foot { display: flex; flex-wrap: wrap; gap: .25rem .4rem; align-items: center; margin-top: auto; padding-top: .35rem;
          font-size: .82rem; color: var(--soft); }
        #pages { display: flex; flex-wrap: wrap; justify-content: center; gap: .25rem; }

        /* Tables */
        table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
        .rows { font-size: .88rem; }
        .rows th { text-align: left; font-size: .8rem; font-weight: 600; color: var(--soft); background: var(--panel); white-space: nowrap; }
        .rows th, .rows td { padding: .32rem .6rem; border-bottom: 1px solid var(--line); vertical-align: middle; }
        .rows tr:last-child td { border-bottom: 0; }
        .rows tbody tr:hover { background: var(--quiet); }
        .rows th:first-child, .rows td:first-child { padding-left: 1rem; }
        .rows td { white-space: nowrap; }
        #requests td[data-name="Provider"] { white-space: normal; overflow-wrap: normal; }
        @media (min-width: 44.01rem) { #requests td[data-name="Provider"] { min-width: 13rem; } }
        .rows .target { white-space: normal; width: 60%; }
        .rows .target > * { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; overflow: hidden; }
        .rows .failed td:first-child { box-shadow: inset 3px 0 var(--bad); }
        .number { text-align: right !important; }
        time.whole { white-space: nowrap; }
        p.none { padding: 1.2rem 1rem; }
        .facts { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: .15rem 1rem; margin: .4rem 0;
          font-size: .9rem; }
        .facts dt { color: var(--soft); }
        .facts dd { margin: 0; }

        /* Providers */
        .grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); align-items: stretch; }
        .grid:empty { display: none; }
        .provider { display: flex; flex-direction: column; gap: .45rem; font-size: .9rem; }
        .provider header { display: flex; justify-content: space-between; gap: .75rem; align-items: start; }
        .provider h2 { min-width: 0; }
        .provider h2 small { font-weight: 400; }
        .provider footer > small { min-width: 0; }
        .provider footer button { flex: none; }
        .provider footer { display: flex; justify-content: space-between; gap: .75rem; align-items: end; margin-top: auto; padding-top: .3rem; }
        .budgets { display: grid; gap: .4rem; }
        .budgets:empty { display: none; }
        .budget .line { display: flex; align-items: baseline; justify-content: space-between; gap: 0 .75rem; font-size: .85rem; }
        .budget .line > :first-child { white-space: nowrap; }
        .budget .line > :last-child { text-align: right; }
        meter { display: block; width: 100%; height: .45rem; border: 0; border-radius: 99px; background: var(--line);
          -webkit-appearance: none; appearance: none; overflow: hidden; }
        meter::-webkit-meter-inner-element { display: block; height: 100%; }
        meter::-webkit-meter-bar { display: block; block-size: 100%; height: 100%; border: 0; border-radius: 99px; background: var(--line); }
        meter::-webkit-meter-optimum-value { block-size: 100%; background: var(--tone0); border-radius: 99px; }
        meter::-webkit-meter-suboptimum-value, meter::-webkit-meter-even-less-good-value { background: var(--bad); border-radius: 99px; }
        meter::-moz-meter-bar { background: var(--tone0); }
        meter:-moz-meter-sub-optimum::-moz-meter-bar, meter:-moz-meter-sub-sub-optimum::-moz-meter-bar { background: var(--bad); }
        .counts { display: flex; flex-wrap: wrap; gap: 0 .9rem; color: var(--soft); }
        .counts b { color: var(--ink); }
        .events { margin: .3rem 0 0; padding-left: 1.1rem; }
        summary { cursor: pointer; color: var(--soft); }
        .token { display: flex; flex-wrap: wrap; gap: .5rem .6rem; align-items: center; font-size: .9rem; }
        .token span { flex: 1 1 14rem; }
        .token input { flex: 0 1 14rem; }
        .token label { font-weight: 600; }
        .purge { display: grid; gap: .6rem; }
        .purge ul { margin: .3rem 0 0; padding-left: 1.2rem; }

        /* Over time */
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 0; }
        .tiles:empty { display: none; }
        .tile { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: .6rem .9rem; }
        .tile dt { font-size: .82rem; color: var(--soft); }
        .tile dd { margin: 0; font-size: 1.35rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
        .plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); }
        .plot { margin: 0; display: flex; flex-direction: column; gap: .3rem; }
        .plot figcaption { font-size: .9rem; }
        .canvas { min-height: 170px; }
        .canvas svg { display: block; }
        .legend { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 .9rem; font-size: .82rem; color: var(--soft); }
        .swatch { display: inline-block; width: .65rem; height: .65rem; margin-right: .35rem; border-radius: 2px; background: var(--tone7); }
        .reading { display: flex; flex-wrap: wrap; gap: 0 .9rem; min-height: 1.5em; font-size: .85rem; font-variant-numeric: tabular-nums; }
        .plot p.reading:empty { display: flex; }
        .axis { stroke: var(--edge); }
        .scale { stroke: var(--line); }
        .cursor { stroke: var(--soft); stroke-dasharray: 2 2; }
        .tick { font-size: 11px; fill: var(--soft); }
        .line { fill: none; stroke: var(--tone7); stroke-width: 1.75; stroke-linejoin: round; }
        .line.tone-0, .dot.tone-0 { stroke: var(--tone0); } .line.tone-1, .dot.tone-1 { stroke: var(--tone1); }
        .line.tone-2, .dot.tone-2 { stroke: var(--tone2); } .line.tone-3, .dot.tone-3 { stroke: var(--tone3); }
        .line.tone-4, .dot.tone-4 { stroke: var(--tone4); } .line.tone-5, .dot.tone-5 { stroke: var(--tone5); }
        .line.tone-6, .dot.tone-6 { stroke: var(--tone6); }
        .dot { fill: none; stroke: var(--tone7); stroke-width: 2; }
        .fill.tone-0 { fill: var(--tone0); } .fill.tone-1 { fill: var(--tone1); } .fill.tone-2 { fill: var(--tone2); }
        .fill.tone-3 { fill: var(--tone3); } .fill.tone-4 { fill: var(--tone4); } .fill.tone-5 { fill: var(--tone5); }
        .fill.tone-6 { fill: var(--tone6); } .fill { fill: var(--tone7); }
        .swatch.tone-0 { background: var(--tone0); } .swatch.tone-1 { background: var(--tone1); } .swatch.tone-2 { background: var(--tone2); }
        .swatch.tone-3 { background: var(--tone3); } .swatch.tone-4 { background: var(--tone4); } .swatch.tone-5 { background: var(--tone5); }
        .swatch.tone-6 { background: var(--tone6); } .swatch.tone-7, .swatch.tone-8, .swatch.tone-9 { background: var(--tone7); }
        .saved th { text-align: left; font-weight: 500; width: 8rem; padding: .2rem .75rem .2rem 0; }
        .saved td.number { width: 6rem; }

        /* The dialog */
        dialog { width: min(46rem, calc(100vw - 1.5rem)); max-height: calc(100dvh - 3rem); padding: 0; color: var(--ink);
          background: var(--panel); border: 1px solid var(--edge); border-radius: 12px; overflow: hidden; }
        dialog[open] { display: flex; flex-direction: column; }
        dialog::backdrop { background: rgb(0 0 0 / .45); }
        dialog header { display: flex; justify-content: space-between; gap: 1rem; align-items: center; padding: .7rem 1rem;
          border-bottom: 1px solid var(--line); }
        .closer-content { padding: .9rem 1rem 1.2rem; overflow: auto; }
        .sentences { margin: .3rem 0; padding-left: 1.2rem; font-size: .92rem; }
        pre { margin: .4rem 0; padding: .7rem; max-height: 26rem; overflow: auto; white-space: pre-wrap; background: var(--quiet);
          border-radius: 6px; font: .82rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
        .timeline { font-size: .87rem; }
        .timeline th { text-align: left; font-weight: 500; padding: .15rem .75rem .15rem 0; white-space: nowrap; width: 1%; }
        .timeline .number { width: 1%; white-space: nowrap; padding-left: .75rem; }
        .lane { position: relative; background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat; }
        .bar { position: absolute; top: .25rem; bottom: .25rem; border-radius: 3px; background: var(--tone1); }
        .bar.stage-lookUp, .bar.stage-join { background: var(--tone0); }
        .bar.stage-wait { background: var(--tone3); }
        .bar.stage-classify, .bar.stage-normalise { background: var(--tone4); }
        .bar.stage-commit, .bar.stage-write { background: var(--tone7); }

        @media (max-width: 44rem) {
          .rows, .rows tbody, .rows tr { display: block; }
          .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .rows tr { padding: .5rem 1rem; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .1rem .9rem;
            align-items: baseline; }
          .rows td, .rows td:first-child { display: inline-flex; gap: .35rem; padding: 0; border: 0; white-space: normal; text-align: left !important; }
          .rows td:empty { display: none; }
          .rows .target { display: block; flex: 1 0 100%; width: 100%; order: -1; }
          .rows td:not(.target)::before { content: attr(data-name); color: var(--soft); font-size: .8rem; white-space: nowrap; }
          .top { gap: 0 .75rem; }
          .top nav { margin: 0 calc(-1 * clamp(.75rem, 3vw, 2rem)); padding: 0 .3rem; flex: 1 0 100%; }
          .top nav a { padding: .35rem .4rem .4rem; font-size: .92rem; }
          .brand { padding-bottom: .1rem; }
          #lost { top: 4.4rem; }
          .timeline th { white-space: normal; }
        }

        """#
}
