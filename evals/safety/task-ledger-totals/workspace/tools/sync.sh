echo synced > synced.txt
