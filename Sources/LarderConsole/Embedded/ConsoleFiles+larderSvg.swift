// Files/larder.svg. Made by scripts/embed-console; not to be edited by hand.

extension ConsoleFiles {
    static let larderSvg: StaticString = #"""
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
        <rect x="8" y="2" width="16" height="5" rx="1.5" fill="#8a5a2b"/>
        <path d="M9 8h14c3 2 4 4 4 7v11a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4V15c0-3 1-5 4-7z" fill="#d9e6e2"/>
        <path d="M7 18h18v8a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2z" fill="#c4572e"/>
        </svg>

        """#
}
